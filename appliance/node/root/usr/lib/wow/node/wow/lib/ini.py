"""The one reader of INI, with line numbers in its errors. It reads as ipopd does (IniFile.cs); one file of examples tests both.

UTF-8, a byte order mark at most at the start, lines end with LF or CRLF; blanks are space and tab. `#` and `;` begin a comment line, `[section]` a
section, which may be taken up again, all else is `key = value`; a key stands once in its section. Names count as they are written."""
from wow.lib.errors import WowError

LARGEST = 64 * 1024
BLANKS = " \t\r"
"""What is no part of a name or a value at its ends; CR, for it may stand before LF."""


def parse(data: bytes, file: str) -> dict[str, dict[str, tuple[str, int]]]:
    """{section: {key: (value, line number)}} of a file's bytes. WowError says what is wrong where."""
    if len(data) > LARGEST:
        raise WowError(f"{len(data)} bytes are too many", f"The file has at most {LARGEST} bytes", file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WowError(f"byte {error.start} is not UTF-8", "Save the file as UTF-8 text", file) from None
    if "\0" in text:
        raise WowError("holds a zero byte", "Save the file as UTF-8 text, not UTF-16", file)
    sections: dict[str, dict[str, tuple[str, int]]] = {}
    section = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(BLANKS)
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section = _name(line[1:-1] if line[-1] == "]" else "", line, number, file)
            sections.setdefault(section, {})
            continue
        key, equals, value = line.partition("=")
        key = _name(key if equals else "", line, number, file)
        if section is None:
            raise WowError(f"line {number} stands before the first section", "Put it under its section, like [pool]", file, key)
        if key in sections[section]:
            first = sections[section][key][1]
            raise WowError(f"stands twice, in line {first} and line {number}", "Keep one of them", file, f"[{section}] {key}")
        sections[section][key] = (value.strip(BLANKS), number)
    return sections


def _name(text: str, line: str, number: int, file: str) -> str:
    """A section's or a key's name. WowError if it is none."""
    name = text.strip(BLANKS)
    if not name:
        raise WowError(f'line {number} is neither "[section]" nor "key = value": {line[:60]}', "Correct the line or begin it with #", file)
    return name
