"""INI with line numbers in its errors. Standing rules: UTF-8 (a byte order mark and CRLF are fine), `#` and `;` begin a comment line,
`key = value`, no continuation lines, no interpolation, nothing twice."""
from errors import WowError

LARGEST = 64 * 1024


def parse(data, file):
    """{section: {key: (value, line number)}} of a file's bytes."""
    if len(data) > LARGEST:
        raise WowError(f"{len(data)} bytes are too many", f"A pool.conf has at most {LARGEST} bytes", file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WowError(f"byte {error.start} is not UTF-8", "Save the file as UTF-8 text", file) from None
    if "\0" in text:
        raise WowError("holds a zero byte", "Save the file as UTF-8 text, not UTF-16", file)
    sections, section = {}, None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section = _section(line, number, sections, file)
            continue
        key, equals, value = line.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key:
            raise WowError(f'line {number} is neither a section nor "key = value": {line[:60]}', "Correct the line or begin it with #", file)
        if section is None:
            raise WowError(f"line {number} stands before the first section", "Put it under its section, like [pool]", file, key)
        if key in sections[section]:
            first = sections[section][key][1]
            raise WowError(f"stands twice, in line {first} and line {number}", "Keep one of them", file, f"[{section}] {key}")
        sections[section][key] = (value, number)
    return sections


def _section(line, number, sections, file):
    name = line[1:-1].strip()
    if line[-1] != "]" or not name:
        raise WowError(f"line {number} is not a section: {line[:60]}", "Write it like [pool]", file)
    if name in sections:
        raise WowError(f"line {number} begins the section again", "Put its keys together under one heading", file, f"[{name}]")
    sections[name] = {}
    return name
