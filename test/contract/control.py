"""Requests and replies of ipopd's control socket (docs/contract/control.json): the daemon's records, the words that both programs use, the reference."""
import builtins
import pathlib
from typing import NamedTuple, Optional

from contract import csharp, markdown
from contract.source import Broken, load, sentence

SOURCE = "docs/contract/control.json"
PLAIN = {"string": "string", "integer": "long", "number": "double", "boolean": "bool"}
RIGHTS = {"read": "whoever may ask", "change": "root, and who runs ipopd"}
FIELDS = {"name", "type", "of", "least", "most", "default", "says"}


class Field(NamedTuple):
    """One field of a request, a reply or a part of one. `words` are the values that a string may have, if they are few."""
    name: str
    type: str
    says: str
    words: tuple = ()
    least: Optional[int] = None
    most: Optional[int] = None
    default: Optional[int] = None

    @property
    def core(self) -> str:
        """The type without null and list."""
        return self.type.rstrip("?").strip("[]")

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self.type.startswith("[")

    @property
    def may_be_null(self) -> bool:
        """Whether it may be null."""
        return self.type.endswith("?")

    @property
    def member(self) -> str:
        """Its name in C#."""
        return csharp.pascal(self.name)

    @property
    def kind(self) -> str:
        """Its type in C#."""
        core = PLAIN.get(self.core) or reply_name(self.core)
        return f"IReadOnlyList<{core}>" if self.is_list else core + ("?" if self.may_be_null else "")

    @property
    def told(self) -> str:
        """Its sentence, with what it may be."""
        limits = f"From {self.least} to {self.most}, {self.default} if it is missing." if self.least is not None else ""
        return " ".join(part for part in (self.says, f"One of {', '.join(self.words)}." if self.words else "", limits) if part)


class Request(NamedTuple):
    """What can be asked."""
    command: str
    right: str
    reply: str
    says: str
    fields: tuple


class Control(NamedTuple):
    """The whole contract of the socket. `replies` and `parts` are {name: (sentence, (Field, ...))}."""
    about: str
    requests: tuple
    codes: dict
    replies: dict
    parts: dict


def reply_name(name: str) -> str:
    """The C# name of a reply or a part."""
    return csharp.pascal(name) + "Reply"


def read(root: pathlib.Path) -> Control:
    """The contract. Broken: it contradicts itself."""
    source = load(root / SOURCE)
    found = Control(
        sentence(source["about"]),
        tuple(Request(one["command"], one["right"], one["reply"], sentence(one["says"]), fields_of(SOURCE, one)) for one in source["requests"]), source["codes"],
        *({name: (sentence(one["says"]), fields_of(SOURCE, one)) for name, one in source[kind].items()} for kind in ("replies", "parts")))
    for request in found.requests:
        if request.right not in RIGHTS or request.reply not in found.replies:
            raise Broken(f"{SOURCE}: {request.command} has the right {request.right} and the reply {request.reply}, of which one is unknown")
    for name, (_, fields) in [*found.replies.items(), *found.parts.items()]:
        for field in fields:
            if (field.core not in PLAIN and field.core not in found.parts) or (field.is_list and field.core in set(PLAIN) - {"string"}):
                raise Broken(f"{SOURCE}: {name}.{field.name} is of the type {field.type}; there are {', '.join(PLAIN)}, the parts, and lists of strings and parts")
    return found


def fields_of(source: str, one: dict) -> tuple:
    """The fields of a request, a reply or a part. Broken: one has a word that is unknown."""
    for field in one["fields"]:
        if strange := set(field) - FIELDS:
            raise Broken(f"{source}: {field.get('name')} has {sorted(strange)}; a field has {sorted(FIELDS)}")
    return tuple(Field(field["name"], field["type"], sentence(field["says"]), tuple(field.get("of", ())), field.get("least"), field.get("most"), field.get("default"))
                 for field in one["fields"])


def replies(root: pathlib.Path) -> str:
    """ControlReplies.g.cs: what is sent."""
    return _records(_record(name, says, fields, name != "error") for name, (says, fields) in read(root).replies.items())


def status_parts(root: pathlib.Path) -> str:
    """StatusParts.g.cs: what `status` is made of."""
    found = read(root)
    return _records(_record(name, says, fields, None) for name, (says, fields) in found.parts.items() if name in _parts_of(found, "status"))


def other_parts(root: pathlib.Path) -> str:
    """OtherParts.g.cs: what the others are made of."""
    found = read(root)
    return _records(_record(name, says, fields, None) for name, (says, fields) in found.parts.items() if name not in _parts_of(found, "status"))


def _parts_of(found: Control, name: str) -> set:
    """The parts of a reply, and theirs."""
    direct = {field.core for field in (found.replies.get(name) or found.parts[name])[1]} - set(PLAIN)
    return direct.union(*(_parts_of(found, one) for one in direct))


def _records(records) -> str:
    return csharp.file(SOURCE, "Ipopd.Control", "\n\n".join(records), ("System.Text.Json",))


def _record(name: str, says: str, fields: tuple, is_ok) -> str:
    """One record. is_ok: what the field `ok` says; None for a part, which has none."""
    parameters = [f"{field.kind} {field.member}" for field in fields]
    written = [] if is_ok is None else [f'json.WriteBoolean("ok"u8, {str(is_ok).lower()});']
    words = [f"    internal const string {field.member}{csharp.pascal(word)} = {csharp.text(word)};" for field in fields for word in field.words]
    return "\n".join([
        csharp.summary(says, ""), *(csharp.parameter(field.member, field.told) for field in fields),
        *csharp.wrapped(f"internal sealed record {reply_name(name)}(", parameters, ") : IControlReply"), "{", *words, *([""] if words else []),
        "    /// <inheritdoc/>", "    public void Write(Utf8JsonWriter json)", "    {", "        json.WriteStartObject();",
        *(f"        {line}" for line in [*written, *map(_written, fields)]), "        json.WriteEndObject();", "    }", "}"])


def _written(field: Field) -> str:
    """How a field is written."""
    name = f'"{field.name}"u8, {field.member}'
    if field.is_list or field.core not in PLAIN or (field.may_be_null and field.core != "string"):
        return f"ControlWriter.Write(json, {name});"
    return {"string": "json.WriteString", "boolean": "json.WriteBoolean"}.get(field.core, "json.WriteNumber") + f"({name});"


def requests(root: pathlib.Path) -> str:
    """ControlRequest.g.cs: what is received."""
    found = read(root)
    fields = {}
    for request in found.requests:
        for field in request.fields:
            if fields.setdefault(field.name, field).kind.rstrip("?") != field.kind.rstrip("?"):
                raise Broken(f"{SOURCE}: {field.name} is of two types")
    known = [Field("command", "string", "What is asked; null if the line does not say."), *fields.values()]
    lines = ["internal sealed partial record ControlRequest", "{"]
    for field in known:
        lines += [csharp.summary(field.says), f"    internal {PLAIN[field.core]}? {field.member} {{ get; private set; }}", ""]
    for field in (field for field in known if field.least is not None):
        lines += [csharp.summary(f"What {field.member} is at least, at most, and if the line does not say."),
                  f"    internal const long Least{field.member} = {field.least}, Most{field.member} = {field.most}, Usual{field.member} = {field.default};", ""]
    lines += [csharp.summary("Every request, with who may make it."), "    internal static IReadOnlyList<ControlRequestKind> Kinds { get; } =", "    [",
              *(f"        new(ControlCommand.{csharp.pascal(one.command)}, ControlRight.{csharp.pascal(one.right)})," for one in found.requests), "    ];", "",
              csharp.summary("Takes the value of the name at which the reader stands, if it is a field's; else passes it over."),
              '    /// <exception cref="JsonException">It is of another type.</exception>',
              "    private void Take(ref Utf8JsonReader json)", "    {"]
    for number, field in enumerate(known):
        lines += [f'        {"else " if number else ""}if (json.ValueTextEquals("{field.name}"u8))', "        {",
                  f"            {field.member} = Read{csharp.pascal(field.core)}(ref json);", "        }"]
    lines += ["        else", "        {", "            json.Skip();", "        }", "    }", "}"]
    return csharp.file(SOURCE, "Ipopd.Control", "\n".join(lines), ("System.Text.Json",))


def codes(root: pathlib.Path) -> str:
    """ControlCode.g.cs: why a request is not carried out, for programs."""
    lines = [csharp.summary("Why ipopd does not carry a request out, for programs. A code stays as it is from release to release.", ""), "public static class ControlCode", "{"]
    for code, says in read(root).codes.items():
        lines += [csharp.summary(says), f"    public const string {csharp.pascal(code)} = {csharp.text(code)};", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def commands(root: pathlib.Path) -> str:
    """ControlCommand.g.cs: what can be asked."""
    lines = [csharp.summary("What ipopd can be asked over its control socket.", ""), "public static class ControlCommand", "{"]
    for one in read(root).requests:
        lines += [csharp.summary(one.says), f"    public const string {csharp.pascal(one.command)} = {csharp.text(one.command)};", ""]
    return csharp.file(SOURCE, "PoolRules", "\n".join([*lines[:-1], "}"]))


def answers(root: pathlib.Path) -> str:
    """answers.py: the replies for Python's type checker."""
    found, lines = read(root), []
    # A part stands before what it is a part of.
    records = {name: one for name, one in [*found.parts.items(), *found.replies.items()] if one[1]}
    while records:
        name = next(name for name, (_, fields) in records.items() if not {field.core for field in fields} & set(records) - {name})
        says, fields = records.pop(name)
        lines += ["", "", f"class {answer_name(name)}(TypedDict):", f'    """{says}"""', *(f"    {field.name}: {_hint(field)}" for field in fields)]
    return "\n".join([
        f'"""Made of {SOURCE} by `test/figures --write`: the shapes of what ipopd answers on its control socket. For the type checker',
        'alone: nothing imports this when it runs, for typing costs an emulated guest a twentieth of a second."""',
        "from typing import Literal, TypedDict", *lines]) + "\n"


def answer_name(name: str) -> str:
    """The Python name of a reply or a part; one that Python has already says that it is a part."""
    plain = csharp.pascal(name)
    return f"{plain}Part" if plain in dir(builtins) else plain


def _hint(field: Field) -> str:
    plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
    core = f"Literal[{', '.join(csharp.text(word) for word in field.words)}]" if field.words else plain.get(field.core) or answer_name(field.core)
    return f"list[{core}]" if field.is_list else core + (" | None" if field.may_be_null else "")


def reference(root: pathlib.Path) -> str:
    """The socket in Markdown."""
    found = read(root)
    lines = [*markdown.paragraph(found.about), "", "## Requests", ""]
    for one in found.requests:
        lines += markdown.item(f"**{one.command}** ({RIGHTS[one.right]}; answered by [{one.reply}](#{one.reply})): {one.says}")
        lines += markdown.fields(one.fields)
    lines += markdown.codes(found.codes)
    for kind, records in (("Replies", found.replies), ("Parts of replies", found.parts)):
        lines += ["", f"## {kind}"]
        for name, (says, fields) in records.items():
            lines += ["", f"### {name}", "", *markdown.paragraph(says), *([""] if fields else [])]
            lines += [line for field in fields for line in markdown.item(f"`{field.name}`, {field.type}: {field.told}")]
    return "\n".join(lines)


def faults(found: Control, name: str, value, where: str = "") -> list:
    """What of a JSON value is not as a reply or part says; empty if it is right."""
    fields = {field.name: field for field in (found.replies.get(name) or found.parts[name])[1]}
    if not isinstance(value, dict):
        return [f"{where or name} is no object"]
    wrong = [f"{where}{key} is no field of {name}" for key in value if key not in fields and not (key == "ok" and name in found.replies)]
    for key, field in fields.items():
        wrong += [f"{where}{key} is missing"] if key not in value else _faults(found, field, value[key], f"{where}{key}")
    return wrong


def _faults(found: Control, field: Field, value, where: str) -> list:
    if value is None:
        return [] if field.may_be_null else [f"{where} is null"]
    if field.is_list:
        return [fault for number, one in enumerate(value) for fault in _fault_of_one(found, field, one, f"{where}[{number}]")] if isinstance(value, list) else [f"{where} is no list"]
    return _fault_of_one(found, field, value, where)


def _fault_of_one(found: Control, field: Field, value, where: str) -> list:
    if field.core not in PLAIN:
        return faults(found, field.core, value, f"{where}.")
    types = {"string": str, "integer": int, "number": (int, float), "boolean": bool}[field.core]
    if not isinstance(value, types) or (isinstance(value, bool) and field.core != "boolean"):
        return [f"{where} is {value!r}, no {field.core}"]
    return [f"{where} is {value!r}, none of {', '.join(field.words)}"] if field.words and value not in field.words else []
