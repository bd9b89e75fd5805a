"""Hooks of mkdocs: the navigation, pages that lie outside docs/, the API reference, and links as they are in the site."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, InclusionLevel

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # mkdocs imports this file by its path
    sys.path.insert(0, str(ROOT))

from scripts.site import navigation, reference  # noqa: E402
from scripts.site.links import as_page, rewritten  # noqa: E402

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

__all__ = ["on_config", "on_files", "on_page_markdown", "on_post_build"]

ASSETS = Path(__file__).parent / "assets"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation is that of ``navigation.py``."""
    config.nav = navigation.nav()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that have another place in the site, those of the API reference, and the assets."""
    for page, place in navigation.PLACES.items():
        old = files.get_file_from_path(page.removeprefix("docs/")) if page.startswith("docs/") else None
        if old is not None:
            files.remove(old)
        files.append(_made(config, place, as_page((ROOT / page).read_text("utf-8"), page)))
    for name, text in reference.pages().items():
        files.append(_made(config, name, text))
    for asset in sorted(ASSETS.iterdir()):
        files.append(_made(config, f"assets/{asset.name}", asset.read_text("utf-8")))
    return files


def _made(config: MkDocsConfig, path: str, content: str) -> File:
    return File.generated(config, path, content=content, inclusion=InclusionLevel.INCLUDED)


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links of pages of docs/; those of the others are rewritten when they are added."""
    path = page.file.src_uri
    return markdown if page.file.generated_by is not None else rewritten(markdown, f"docs/{path}")


def on_post_build(config: MkDocsConfig) -> None:
    """Drops what the theme copies and no page uses: searches in other languages, and maps of minified files."""
    assets = Path(config.site_dir) / "assets"
    shutil.rmtree(assets / "javascripts" / "lunr", ignore_errors=True)
    for path in assets.rglob("*.map"):
        path.unlink()
