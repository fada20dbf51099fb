"""What the node's Python takes of constants, folders and exit codes."""
import pathlib

from contract import constants, files, markdown, programs

SOURCES = (constants.SOURCE, files.SOURCE, programs.SOURCE)


def python(root: pathlib.Path) -> str:
    """agreed.py."""
    lines = [f'"""Made of {", ".join(pathlib.PurePath(name).name for name in SOURCES)} of docs/contract by `test/figures --write`: what programs in',
             'several languages, or several machines, must agree on."""', ""]
    for one in (one for one in constants.read(root) if "Python" in one.languages):
        lines += [f"{_name(one.name)} = {one.literal}", *_comment(one.says)]
    lines += ["", "# Folders."]
    for name, (path, says) in files.read(root)[0].items():
        lines += [f'{_name(name)} = "{path}"', *_comment(says)]
    lines += ["", "# How programs end."]
    for end in programs.read(root)[0]:
        lines += [f"{_name(end.name)} = {end.code}", *_comment(end.says)]
    return "\n".join(lines) + "\n"


def _name(name: str) -> str:
    return name.replace("-", "_").upper()


def _comment(says: str) -> list:
    return markdown.paragraph(says + '"""', '"""')
