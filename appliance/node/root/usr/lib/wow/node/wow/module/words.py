"""The words and the options of `wow module` for the module that is made here; apart, for a list of layers needs no more of it."""
from wow.lib.verb import Option

MADE = ("diff", "publish")
OUT = Option("--out", "FILE", "of publish: the archive to write; without it NAME.tar in the current folder", short="-o")
