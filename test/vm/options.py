"""What a test program may be told on its command line. Whatever else it is told ends it with the way to call it, before it starts anything."""
import argparse


def read(text, arguments, flags=(), words=None):
    """The parsed arguments: each of the flags as a truth, and `words`, a list. text: what --help prints, the program's docstring; words: those that may be named, any
    where it is empty, none where it is None. Ends the program with 2 where something else was given."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS, allow_abbrev=False)
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true", help=argparse.SUPPRESS)
    if words is None:
        return parser.parse_args(arguments)
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if words and (strangers := set(given.words) - set(words)):
        parser.error(f"unknown: {' '.join(sorted(strangers))}; there are {' '.join(words)}")
    return given
