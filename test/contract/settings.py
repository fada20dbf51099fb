"""Keys of ipopd.conf and pool.conf (docs/contract/settings.json): the daemon's options, the commented ipopd.conf, the reference."""
import pathlib
import textwrap
from typing import NamedTuple, Optional

from contract import csharp, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/settings.json"
DAEMON, POOL = "ipopd.conf", "pool.conf"
FIELDS = {"key", "in", "kind", "least", "most", "of", "default", "example", "says"}
NEEDED = {"key", "in", "kind", "says"}

# What the daemon makes of each kind: the type, and the method of DaemonOptionsReader that reads it. A type that ends with ? is null where the value is empty.
KINDS = {
    "switch": ("bool", "YesOrNo"), "number": ("ushort", "Number"), "path": ("string?", "AbsolutePath"), "socket": ("string", "SocketPath"),
    "label": ("string?", "Label"), "subnet": ("Subnet", "Subnet"), "ranges": ("ReservedRanges", "Ranges"), "secret": ("ReadOnlyMemory<byte>", "Secret"),
    "bootstrap": ("IReadOnlyList<BootstrapEntry>", "Bootstrap"), "interface": ("string", "Interface"), "ports": ("IReadOnlyList<ushort>?", "Ports"),
    "host": ("string?", "Host"), "listen": ("TransportAddress?", "Listen"), "loopback": ("IPEndPoint?", "Loopback"), "ticket": ("string?", "Ticket"),
    "routes": ("IReadOnlyList<LanRoute>", "Routes"),
}


class Setting(NamedTuple):
    """One key. `default` is None where the file must have it; `example` is what stands in the commented file then."""
    section: str
    key: str
    files: tuple
    kind: str
    says: str
    default: Optional[str] = None
    example: Optional[str] = None
    least: Optional[float] = None
    most: Optional[float] = None
    words: tuple = ()

    @property
    def name(self) -> str:
        """Its name in C#."""
        return csharp.pascal(f"{self.section}-{self.key}")

    @property
    def limits(self) -> str:
        """What a value may be, where its kind does not say it."""
        return f"From {self.least} to {self.most}." if self.kind == "number" else f"One of {', '.join(self.words)}." if self.words else ""


def read(root: pathlib.Path) -> tuple:
    """(kinds, [(section, its sentence, [Setting])]) of the contract. Broken: it contradicts itself."""
    source, sections = load(root / SOURCE), []
    for section in source["sections"]:
        sections.append((section["section"], sentence(section.get("says", "")), [_setting(section["section"], one, source["kinds"]) for one in section["keys"]]))
    return source["kinds"], sections


def _setting(section: str, one: dict, kinds: dict) -> Setting:
    where = f"{SOURCE}: [{section}] {one.get('key')}"
    if strange := set(one) - FIELDS:
        raise Broken(f"{where} has {sorted(strange)}; a setting has {sorted(FIELDS)}")
    if lacking := NEEDED - set(one):
        raise Broken(f"{where} lacks {sorted(lacking)}")
    found = Setting(section, one["key"], tuple(one["in"]), one["kind"], sentence(one["says"]), one.get("default"), one.get("example"),
                    one.get("least"), one.get("most"), tuple(one.get("of", ())))
    if found.kind not in kinds or not set(found.files) <= {DAEMON, POOL} or not found.files:
        raise Broken(f"{where} is of no kind or file that is known")
    if DAEMON in found.files and found.kind not in KINDS:
        raise Broken(f"{where} is of the kind {found.kind}, which ipopd does not read: name its type in {pathlib.Path(__file__).name}")
    if (found.kind == "number") != (found.least is not None and found.most is not None) or (found.kind == "choice") != bool(found.words):
        raise Broken(f"{where}: a number has least and most, a choice has of, and nothing else has")
    if DAEMON in found.files and isinstance(found.least, float):
        raise Broken(f"{where}: ipopd reads whole numbers only")
    if found.kind == "number" and found.default is not None and not found.least <= float(found.default) <= found.most:
        raise Broken(f"{where}: its default is not from {found.least} to {found.most}")
    if DAEMON in found.files and (found.default is None) == (found.example is None):
        raise Broken(f"{where}: give a default, or an example if it is required")
    return found


def of(root: pathlib.Path, file: str) -> list:
    """[(section, its sentence, [Setting])] of one of both files."""
    found = [(name, says, [one for one in keys if file in one.files]) for name, says, keys in read(root)[1]]
    return [(name, says, keys) for name, says, keys in found if keys]


def all_of(root: pathlib.Path, file: str) -> list:
    """Every Setting of one of both files."""
    return [one for _, _, keys in of(root, file) for one in keys]


def option_key(root: pathlib.Path) -> str:
    """OptionKey.g.cs."""
    known = all_of(root, DAEMON)

    def line(one: Setting) -> str:
        default = "null" if one.default is None else csharp.text(one.default)
        limits = f", {one.least}, {one.most}" if one.kind == "number" else ""
        return f"    internal static readonly OptionKey {one.name} = new({csharp.text(one.section)}, {csharp.text(one.key)}, {default}{limits});"
    names = textwrap.wrap(", ".join(one.name for one in known) + ",", 140)
    return csharp.file(SOURCE, "Ipopd.Configuration", "\n".join([
        "internal sealed partial record OptionKey", "{", *map(line, known), "",
        "    /// <summary>Every key there is, in the order of the commented ipopd.conf.</summary>",
        "    internal static IReadOnlyList<OptionKey> All { get; } =", "    [", *(f"        {names_}" for names_ in names), "    ];", "}"]))


def daemon_options(root: pathlib.Path) -> str:
    """DaemonOptions.g.cs."""
    known = all_of(root, DAEMON)

    def declared(one: Setting) -> str:
        kind = KINDS[one.kind][0]
        kind = kind.rstrip("?") if one.default is None else kind
        return csharp.summary(f"[{one.section}] {one.key}: {one.says} {one.limits}".rstrip()) + f"\n    internal required {kind} {one.name} {{ get; init; }}\n"

    def made(one: Setting) -> str:
        kind, method = KINDS[one.kind]
        return f"        {one.name} = reader.{method}(OptionKey.{one.name}){'!' if one.default is None and kind.endswith('?') else ''},"
    return csharp.file(SOURCE, "Ipopd.Configuration", "\n".join([
        "internal sealed partial record DaemonOptions", "{", *map(declared, known),
        csharp.summary("Asks the reader for every value."),
        '    /// <exception cref="ConfigurationException">A value is wrong or missing.</exception>',
        "    internal static DaemonOptions From(DaemonOptionsReader reader, string file) => new()", "    {",
        "        File = file,", *map(made, known), "    };", "}"]), ("System.Net", "Brunet.Addressing", "Ipop.Dhcp"))


def python_keys(root: pathlib.Path) -> str:
    """keys.py: the keys of pool.conf, and the names of those of ipopd.conf."""
    def entry(one: Setting) -> str:
        limits = (str(one.least), str(one.most)) if one.kind == "number" else one.words
        return f'        "{one.key}": ({csharp.text(one.kind)}, {"None" if one.default is None else csharp.text(one.default)}, {_tuple(limits)}),'
    lines = [f'"""Made of {SOURCE} by `test/figures --write`; a test fails where they differ."""', "",
             "POOL: dict[str, dict[str, tuple[str, str | None, tuple[str, ...]]]] = {"]
    for section, _, keys in of(root, POOL):
        lines += [f'    "{section}": {{', *map(entry, keys), "    },"]
    lines += ["}", '"""Each key of pool.conf: its kind, its default or None if it is required, and its limits or words."""', "", "IPOPD: dict[str, tuple[str, ...]] = {"]
    lines += [f'    "{section}": {_tuple([one.key for one in keys])},' for section, _, keys in of(root, DAEMON)]
    return "\n".join([*lines, "}", '"""Each section of ipopd.conf with its keys, in their order. What is in POOL, too, is handed on."""']) + "\n"


def _tuple(words) -> str:
    """A tuple of strings as Python writes it."""
    return "(" + ", ".join(map(csharp.text, words)) + ("," if len(words) == 1 else "") + ")"


def commented(root: pathlib.Path) -> str:
    """ipopd.conf: every key with its sentence, and its default behind the equals sign."""
    lines = ["# Configuration of ipopd. Every key stands here with its default behind the equals sign; keys that have none are marked",
             '# "required" and hold an example. Section and key names that are not here are errors. Comments stand on lines of their own.']
    for section, says, keys in of(root, DAEMON):
        lines += ["", *markdown.paragraph(says, "# ", "# "), f"[{section}]"]
        for one in keys:
            told = " ".join(part for part in (one.says, one.limits, "" if one.default is not None else "Required.") if part)
            lines += [*markdown.paragraph(told, "# ", "# "), f"{one.key} = {one.example if one.default is None else one.default}".rstrip()]
    return "\n".join(lines) + "\n"


def reference(root: pathlib.Path, file: str) -> str:
    """Every key of one of both files in Markdown, by section."""
    lines = []
    for section, says, keys in of(root, file):
        lines += [*([""] if lines else []), f"## [{section}]", "", *markdown.paragraph(says), *([""] if says else [])]
        for one in keys:
            preset = "required" if one.default is None else f"`{one.default}`" if one.default else "empty"
            lines += markdown.item(f"**{one.key}** ({one.kind}, {preset}): {one.says} {one.limits}".rstrip())
    return "\n".join(lines)


def kinds(root: pathlib.Path, file: str) -> str:
    """What values of each kind look like, of the kinds that a file has."""
    used = {one.kind for one in all_of(root, file)}
    return "\n".join(line for kind, says in read(root)[0].items() if kind in used
                     for line in markdown.item(f"{kind}: {says}"))
