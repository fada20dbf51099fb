"""Users and groups as fragments: the lines that a module adds to /etc/passwd, group, shadow and gshadow. Numbers stay those of the module, on every machine."""
from wow.config import users
from wow.lib.errors import WowError

TABLES = ("passwd", "group", "shadow", "gshadow")
NUMBERED = ("passwd", "group")
DYNAMIC = range(100, 1000)
"""Numbers that packages take by chance, the first or the last that is free (Debian policy 9.2.2). Nothing but the tables and the files' owners knows them."""
ON_DEMAND = range(60000, 65000)
"""Numbers that Debian gives to one package each, whose accounts are made where that is installed."""
OPEN = {"", "x"}
"""Passwords that stand for none of their own: empty would let anybody in."""


def rows(text: str) -> dict[str, list[str]]:
    """{name: fields}."""
    return {line.split(":")[0]: line.split(":") for line in text.splitlines() if line.strip()}


def is_one(number: int) -> bool:
    """Whether an account of a module may have the number: one of the system's. Who has the others is each machine's affair."""
    return (0 < number < users.FIRST_UID and number not in users.OWN_IDS) or number in ON_DEMAND


def added(was: dict[str, str], now: dict[str, str], people: dict[str, int] | None = None) -> tuple[dict[str, list[str]], list[str]]:
    """({table: new lines, and `members`: GROUP USER}, sentences on what cannot be published). was, now: {table: text}; people: {name: number} of pool.conf's on the
    machine. Their lines wow-config makes at each start, like those of jobs and of the pages."""
    found: dict[str, list[str]] = {name: [] for name in (*TABLES, "members")}
    wrong: list[str] = []
    own: set[str] = set()
    for table in TABLES:
        old, new = rows(was[table]), rows(now[table])
        for name, fields in sorted(new.items()):
            number = int(fields[2]) if table in NUMBERED else None
            if users.is_ours(name) or (number is None and name in own) or (number is not None and (people or {}).get(name) == number):
                own.add(name)
            elif number is not None and name not in old and not is_one(number):
                own.add(name)
                what = "user" if table == "passwd" else "group"
                wrong.append(f"/etc/{table}: the {what} {name} has number {number}, which each machine gives to a person, a job or a page of its own. Make it with a "
                             f"number of the system's: del{what} {name}, then add{what} --system {name}")
            elif name in old:
                if old[name] != fields:
                    _changed(name, old[name], fields, table, found, wrong)
            elif table == "shadow" and fields[1][:1] not in ("!", "*"):
                wrong.append(f"/etc/shadow: {name} has a password, which every machine with the module would have. Lock it: passwd --lock --delete {name}")
            else:
                found[table].append(":".join(fields))
        # People of this pool may be in groups here; elsewhere there are others.
        found["members"] = [line for line in found["members"] if line.split()[1] not in own]
        wrong += [f"/etc/{table}: the account {name} of the layers below is gone. Make it again as it was" for name in sorted(set(old) - set(new))]
    return {table: sorted(lines) for table, lines in found.items() if lines}, wrong


def _changed(name: str, old: list[str], new: list[str], table: str, found: dict[str, list[str]], wrong: list[str]) -> None:
    """A line that is there below, too: a group may have new members, and nothing else may change."""
    if table in ("group", "gshadow") and old[:-1] == new[:-1]:
        if table == "group":
            found["members"] += [f"{name} {one}" for one in new[-1].split(",") if one not in old[-1].split(",")]
    else:
        wrong.append(f"/etc/{table}: the line of {name}, an account of the layers below, was changed. Set it back to: {':'.join(old)}")


def join(was: dict[str, str], more: dict[str, dict[str, list[str]]], beside: dict[str, dict[str, list[str]]] | None = None) -> dict[str, str]:
    """The tables with modules' lines. more: {module: what `added` found}; beside: the same of modules for which there is room, and which are not joined.
    WowError where a name or a number is taken."""
    tables = {table: rows(was[table]) for table in TABLES}
    make_room(tables, {**more, **(beside or {})})
    owner: dict[tuple[str, str], str] = {}
    for module, found in more.items():
        for table in TABLES:
            for line in found.get(table, []):
                fields = line.split(":")
                _take(tables[table], table, fields, module, owner)
        for line in found.get("members", []):
            group, user = line.split()
            for table in ("group", "gshadow"):
                if group in tables[table]:
                    people = [one for one in tables[table][group][-1].split(",") if one]
                    tables[table][group][-1] = ",".join(people if user in people else [*people, user])
    return {table: "".join(":".join(fields) + "\n" for fields in tables[table].values()) for table in TABLES}


def make_room(tables: dict[str, dict[str, list[str]]], more: dict[str, dict[str, list[str]]]) -> dict[str, dict[int, int]]:
    """Gives accounts of the layers below another number where a module's account has theirs, or they themselves have another one in a module: its files in homes
    keep theirs. Returns {table: {the number before: the number now}}."""
    moved: dict[str, dict[int, int]] = {}
    for table in NUMBERED:
        wanted = {line.split(":")[0]: int(line.split(":")[2]) for found in more.values() for line in found.get(table, [])}
        taken = {*wanted.values(), *(int(fields[2]) for fields in tables[table].values())}
        moved[table] = {}
        for name, fields in tables[table].items():
            number = int(fields[2])
            now = wanted.get(name, number)
            if now == number and name not in wanted and number in wanted.values():
                now = max((one for one in DYNAMIC if one not in taken and one not in users.OWN_IDS), default=number)
            if now == number or number not in DYNAMIC or now not in DYNAMIC:
                continue
            taken.add(now)
            moved[table][number], fields[2] = now, str(now)
    for fields in tables["passwd"].values():
        fields[3] = str(moved["group"].get(int(fields[3]), fields[3]))
    return moved


def _take(rows_: dict[str, list[str]], table: str, fields: list[str], module: str, owner: dict[tuple[str, str], str]) -> None:
    name, what = fields[0], "user" if table == "passwd" else "group"
    if name in rows_:
        if table in NUMBERED and rows_[name][2] != fields[2]:
            raise WowError(f"the {what} {name} is number {rows_[name][2]} in {owner.get((table, name), 'the base')}, and {fields[2]} in the module {module}: "
                           "its files would belong to somebody else", "Publish the module anew over this base")
        return
    if table in NUMBERED:
        taken = next((other for other, its in rows_.items() if its[2] == fields[2]), None)
        if taken is not None:
            raise WowError(f"number {fields[2]} of the {what} {name} in the module {module} is {taken}'s in {owner.get((table, taken), 'the base')}",
                           f"Publish the module anew over this base, or give {name} another number there: "
                           f"{'usermod -u' if table == 'passwd' else 'groupmod -g'}")
        owner[table, name] = f"the module {module}"
    rows_[name] = fields
