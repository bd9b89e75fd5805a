"""All segmentations of a text at once: the lattice, the paths found in it, and its picture."""

from .lattice import Edge, Lattice
from .paths import Path, Paths

__all__ = ["Edge", "Lattice", "Path", "Paths"]
