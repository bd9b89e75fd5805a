"""Between Python and the kernel: checks of arguments, calls, Specs across the bridge, look-ups in a vocabulary."""
