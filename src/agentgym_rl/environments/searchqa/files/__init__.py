"""Questions in the public file formats in which people have them."""
