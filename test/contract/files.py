"""Files by which programs of a machine meet (docs/contract/files.json)."""
import pathlib
import re
from typing import NamedTuple, Optional

from contract import csharp, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/files.json"


class File(NamedTuple):
    """One file or folder; `by` says who writes it, `constant` is its name in C#, where a program there knows it."""
    folder: str
    name: str
    by: str
    says: str
    constant: Optional[str] = None


def read(root: pathlib.Path) -> tuple:
    """({folder: (path, sentence)}, the files). Broken: one stands twice, or in no folder."""
    source = load(root / SOURCE)
    folders = {name: (one["path"], sentence(one["says"])) for name, one in source["folders"].items()}
    found = [File(one["in"], one["name"], one["by"], sentence(one["says"]), one.get("constant")) for one in source["files"]]
    if len({(one.folder, one.name) for one in found}) < len(found) or any(one.folder not in folders for one in found):
        raise Broken(f"{SOURCE}: a file stands twice, or in a folder that is not there")
    return folders, found


def file_names(root: pathlib.Path) -> str:
    """FileNames.g.cs."""
    lines = [csharp.summary("Files by which ipopd and wow-ca meet others, by their names in the folder that each is told.", ""), "public static class FileNames", "{"]
    for one in (one for one in read(root)[1] if one.constant):
        lines += [csharp.summary(one.says), f"    public const string {one.constant} = {csharp.text(one.name)};", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def named(text: str, root: pathlib.Path) -> set:
    """The (folder, name) of all files that a text names by a whole path, or by a variable that is called as the folder is."""
    found = set()
    for folder, (path, _) in read(root)[0].items():
        begins = "|".join((re.escape(path), rf"\{{(?:paths\.)?{folder.upper()}\}}", rf"\{{{folder}\}}", rf"\${folder}\b", r"\$\{" + folder + r"\}"))
        found |= {(folder, name.rstrip(".")) for name in re.findall(rf"(?:{begins})/([A-Za-z0-9][A-Za-z0-9._-]*)", text)}
    return found


def reference(root: pathlib.Path) -> str:
    """All of them in Markdown, by folder."""
    folders, found, lines = *read(root), []
    for folder, (path, says) in folders.items():
        lines += [*([""] if lines else []), f"### {path}", "", *markdown.paragraph(says), ""]
        lines += [line for one in found if one.folder == folder for line in markdown.item(f"`{one.name}`, written by {one.by}: {one.says}")]
    return "\n".join(lines)
