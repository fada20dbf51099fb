"""Pieces of Markdown, in lines as long as the documents' are."""
import textwrap

WIDTH = 128
WHOLE_WORDS = {"break_long_words": False, "break_on_hyphens": False}


def paragraph(text: str, first: str = "", later: str = "") -> list:
    """Its lines; `first` begins the first one, `later` the others."""
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=later, **WHOLE_WORDS)


def item(text: str, indent: str = "") -> list:
    """An item of a list."""
    return paragraph(text, f"{indent}- ", f"{indent}  ")


def fields(found) -> list:
    """Items of what stands in a request or a reply, within another item."""
    return [line for field in found for line in item(f"`{field.name}`, {field.type}: {field.told}", "  ")]


def codes(found: dict) -> list:
    """The section of codes and what each says."""
    return ["", "## Codes", "", *(line for code, says in found.items() for line in item(f"`{code}`: {says}"))]
