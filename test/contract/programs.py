"""How the programs end, and what the CA answers (docs/contract/programs.json)."""
import pathlib
from typing import NamedTuple

from contract import csharp, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/programs.json"
SHARP = {"ipopd", "ipopd enroll", "wow-ca"}
"""The programs in C#."""


class Exit(NamedTuple):
    """One number that programs end with."""
    code: int
    name: str
    programs: tuple
    says: str


class Status(NamedTuple):
    """One HTTP status of enrolment; `exit` is the name of what `ipopd enroll` ends with then."""
    status: int
    name: str
    exit: str
    says: str


def read(root: pathlib.Path) -> tuple:
    """(the exits, the statuses). Broken: something is named twice, or a status leads to no exit."""
    source = load(root / SOURCE)
    exits = [Exit(one["code"], one["name"], tuple(one["of"]), sentence(one["says"])) for one in source["exits"]]
    statuses = [Status(one["status"], one["name"], one["exit"], sentence(one["says"])) for one in source["enrolment"]]
    for found in (exits, statuses):
        if len({one[0] for one in found}) < len(found) or len({one.name for one in found}) < len(found):
            raise Broken(f"{SOURCE}: something stands twice in {[one.name for one in found]}")
    if strange := {one.exit for one in statuses} - {one.name for one in exits if "ipopd enroll" in one.programs}:
        raise Broken(f"{SOURCE}: `ipopd enroll` does not end with {sorted(strange)}")
    return exits, statuses


def exit_code(root: pathlib.Path) -> str:
    """ExitCode.g.cs."""
    lines = [csharp.summary("How ipopd and wow-ca end.", ""), "public enum ExitCode", "{"]
    for one in read(root)[0]:
        if SHARP & set(one.programs):
            lines += [csharp.summary(one.says), f"    {csharp.pascal(one.name)} = {one.code},", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def enrolment_status(root: pathlib.Path) -> str:
    """EnrolmentStatus.g.cs."""
    lines = [csharp.summary("What the CA answers a machine that enrols: a status of HTTP.", ""), "public static class EnrolmentStatus", "{"]
    for one in read(root)[1]:
        lines += [csharp.summary(one.says), f"    public const int {csharp.pascal(one.name)} = {one.status};", ""]
    lines += [csharp.summary("How `ipopd enroll` ends after a status; of one that is not the contract's, as after a request that was refused."),
              "    public static ExitCode ExitOf(int status) => status switch", "    {",
              *(f"        {csharp.pascal(one.name)} => ExitCode.{csharp.pascal(one.exit)}," for one in read(root)[1]),
              "        _ => ExitCode.Refused,", "    };", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def exits(root: pathlib.Path) -> str:
    """The exit codes in Markdown."""
    return "\n".join(line for one in read(root)[0] for line in markdown.item(f"{one.code} ({', '.join(f'`{name}`' for name in one.programs)}): {one.says}"))


def statuses(root: pathlib.Path) -> str:
    """The statuses in Markdown."""
    codes = {one.name: one.code for one in read(root)[0]}
    return "\n".join(line for one in read(root)[1] for line in markdown.item(f"{one.status} (`ipopd enroll` ends with {codes[one.exit]}): {one.says}"))
