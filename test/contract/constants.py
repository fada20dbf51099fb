"""Numbers and words that programs agree on (docs/contract/constants.json)."""
import pathlib
from typing import NamedTuple, Union

from contract import csharp, markdown, settings
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/constants.json"


class Constant(NamedTuple):
    """One of them, for code of some languages; a number that is written in hexadecimal stays so. `stands`: files that say it themselves, each with what must stand in it."""
    name: str
    value: Union[int, str]
    says: str
    languages: tuple
    stands: dict

    @property
    def literal(self) -> str:
        """As code has it, of either language."""
        return self.value if isinstance(self.value, str) and self.value.startswith("0x") else csharp.text(self.value)


def read(root: pathlib.Path) -> list:
    """All of them. Broken: one stands twice, or settings that should have one default differ."""
    defaults, found = {f"{one.section} {one.key}": one.default for file in (settings.POOL, settings.DAEMON) for one in settings.all_of(root, file)}, []
    for one in load(root / SOURCE)["constants"]:
        value = _default(one, defaults) if "default-of" in one else one["value"]
        stands = {file: text.replace("{}", str(value)) for file, text in one.get("stands", {}).items()}
        found.append(Constant(one["name"], value, sentence(one["says"]), tuple(one["in"]), stands))
    if len({one.name for one in found}) < len(found):
        raise Broken(f"{SOURCE}: a name stands twice in {[one.name for one in found]}")
    return found


def _default(one: dict, defaults: dict) -> Union[int, str]:
    """The default of all settings that the entry names."""
    values = {defaults.get(key) for key in one["default-of"]}
    if len(values) > 1 or None in values:
        raise Broken(f"{SOURCE}: {one['name']} is the default of {one['default-of']}, which are {sorted(map(str, values))} in {settings.SOURCE}: make them agree")
    value = values.pop()
    return int(value) if value.isdigit() else value


def agreed(root: pathlib.Path) -> str:
    """Agreed.g.cs."""
    lines = [csharp.summary("Numbers and words that programs in several languages, or several machines, must agree on.", ""), "public static class Agreed", "{"]
    for one in (one for one in read(root) if "C#" in one.languages):
        kind = "string" if one.literal.startswith('"') else "int" if int(one.literal, 0) < 1 << 31 else "long"
        lines += [csharp.summary(one.says), f"    public const {kind} {csharp.pascal(one.name)} = {one.literal};", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def reference(root: pathlib.Path) -> str:
    """All of them in Markdown."""
    return "\n".join(line for one in read(root) for line in markdown.item(f"{one.name}, `{one.value}`: {one.says}"))
