"""wow history"""
import json
import os
import socket
import sys

from wow.config import facts, kinds
from wow.history import server, token
from wow.lib import agreed, names, paths, table
from wow.lib.errors import WowError
from wow.lib.verb import Given, JSON, Option, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

DAYS = Option("--days", "N", "of the last N days (1 to 731); since ever if not named")
MANAGER = Option("--manager", "HOST", "which manager's, by its host name; the first one's if not named, on a manager its own")
TOKEN = Option("--token", "FILE", "what `wow pool show FOLDER --token` printed; - is standard input; a manager's root needs none")
NEW = Option("--new", "", "with `token`: has the next one hold from now on, where this one came into wrong hands; prints its number")
OWN, MACHINES = "token", "machines"
TIMEOUT = 15.0
KEY = f"{paths.STATE}/node.key"
LARGEST = 16 << 20
"""Bytes of an answer."""
SHOWN = 20
"""Names of a kind that people are shown."""
NO_PROJECT = {"says": "", "link": ""}
"""What is known of a project that pool.conf has not."""
TITLES = {"person": "people", "project": "projects", "owner": "owners of machines"}


def run(given: Given) -> int:
    """Prints the history, or the token."""
    if given.words == [MACHINES]:
        if given.has(NEW) or given.find(DAYS) is not None:
            raise UsageError(f"{NEW.name} and {DAYS.name} do not go with {MACHINES}")
        host = asked(facts.read(), given.find(MANAGER))
        told = ask(host, shown_token(given.find(TOKEN)), f"/{MACHINES}")
        print(read(host, lambda: json.dumps(told) if given.has(JSON) else "\n".join(off(told["machines"]))))
        return 0
    if given.words:
        if given.words != [OWN]:
            raise UsageError(f"the only words are {OWN} and {MACHINES}")
        if not given.has(NEW):
            print(own_token())
            return 0
        host = asked(facts.read(), given.find(MANAGER))
        told = ask(host, shown_token(given.find(TOKEN)), server.RENEWAL, method="POST")
        print(read(host, lambda: json.dumps(told) if given.has(JSON) else
                   f"token {told['number']:d} holds now: wow pool show FOLDER --token --number {told['number']:d}"))
        return 0
    if given.has(NEW):
        raise UsageError(f"{NEW.name} goes with {OWN}")
    days = given.find(DAYS)
    if days is not None and not (days.isascii() and days.isdigit()):
        raise UsageError("--days takes a number")
    pool = facts.read()
    host = asked(pool, given.find(MANAGER))
    told = ask(host, shown_token(given.find(TOKEN)), "/history" + (f"?days={days}" if days else ""))

    def text() -> str:
        for one in told["project"]:
            one.update(pool.projects.get(one["name"], NO_PROJECT))
        return json.dumps(told) if given.has(JSON) else "\n".join(lines(told))
    print(read(host, text))
    return 0


def read(host: str, text: "Callable[[], str]") -> str:
    """The text that is made of what this manager sent; WowError where it sent JSON of another kind."""
    try:
        return text()
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise WowError("sent something that is not what was asked for", "Ask another manager with --manager; on this one: wow --version; journalctl -u wow-pool",
                       host) from None


def asked(pool: facts.Facts, named: str | None) -> str:
    """The name of the manager that is asked."""
    if named is not None and not kinds.is_label(named):
        raise UsageError("--manager takes a host name, like second")
    return f"{named or (os.uname().nodename if pool.is_manager else agreed.MANAGER_LABEL)}.{pool.zone}"


def own_token(key: str = KEY, number: str = token.NUMBER) -> str:
    """The token of a manager, which its root alone can tell."""
    try:
        return token.own(key, number).secret
    except OSError as error:
        raise WowError(f"cannot be read: {error.strerror}", "Name a file with --token; where the pool was made, `wow pool show FOLDER --token` prints what "
                       "belongs there", error.filename) from None


def shown_token(path: str | None) -> str:
    """The token that was named, else this machine's own, which is the right one on the manager."""
    if path is None:
        return own_token()
    try:
        if path == "-":
            return sys.stdin.readline().strip()
        with open(path, encoding="ascii") as file:
            return file.read(1000).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WowError(f"cannot be read: {error}", "Name the file that has the token", path) from None


def ask(host: str, secret: str, page: str, port: int = paths.HISTORY_PORT, method: str = "GET") -> "Any":
    """The JSON of a page; WowError if there is no answer, or none of this kind."""
    if not secret.isalnum():
        raise WowError("is no token", "Show the line that `wow pool show FOLDER --token` prints", "--token")
    try:
        with socket.create_connection((host, port), TIMEOUT) as link:
            link.sendall(f"{method} {page} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {secret}\r\n\r\n".encode())
            said = b""
            while len(said) < LARGEST and (part := link.recv(65536)):
                said += part
    except OSError as error:
        raise WowError(f"does not answer: {error}", "Look whether the manager is there: wow status; on the manager: systemctl status wow-pool",
                       f"{host}:{port}") from None
    head, _, body = said.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    try:
        if status == [b"200"]:
            return json.loads(body)
    except (ValueError, RecursionError):
        pass
    what = table.printable(body[:200].decode("utf-8", "replace").strip()) or "it sent nothing"
    raise WowError(f"refuses: {what}" if status == [b"401"] else what, "", f"{host}:{port}")


def shown(name: object) -> str:
    """A name as a terminal may show it, whoever answered."""
    return names.OTHERS if name == names.OTHERS else names.clean(name)


def lines(told: "Any") -> list[str]:
    """The history for people."""
    days = "since ever" if told["days"] is None else f"of the last {told['days']:d} days"
    found = [f"Core hours and jobs {days}, as machines and queues both told of them"]
    for kind, title in TITLES.items():
        rows = [[title, "core hours", "jobs"], *([shown(one["name"]), f"{one['core_hours']:.1f}", f"{one['jobs']:d}"] for one in told[kind][:SHOWN])]
        if len(told[kind]) > SHOWN:
            rows.append([f"and {len(told[kind]) - SHOWN} more: --json", "", ""])
        found += ["", *table.columns(rows, right=(1, 2))]
        about = [[shown(one["name"]), *(table.printable(one[key]) for key in NO_PROJECT)] for one in told[kind][:SHOWN] if one.get("says")]
        found += ["", *table.columns(about)] if about else []
    # A manager of an older release tells none.
    if gone := [shown(one) for one in told.get("drained", [])]:
        more = f" and {len(gone) - SHOWN} more: --json" if len(gone) > SHOWN else ""
        found += ["", f"Drained by the administrator: {', '.join(gone[:SHOWN])}{more}"]
    return found


def off(told: "Any") -> list[str]:
    """The machines for people: how many are there, and those that are off."""
    gone = [one for one in told if not one["here"]]
    rows = [["machine", "owner", "seen last", "core hours", "jobs"],
            *([shown(one["name"]), shown(one["owner"]), table.printable(one["seen"]), f"{one['core_hours']:.1f}", f"{one['jobs']:d}"] for one in gone[:SHOWN])]
    if len(gone) > SHOWN:
        rows.append([f"and {len(gone) - SHOWN} more: --json", "", "", "", ""])
    return [f"{len(told) - len(gone)} machines are there; {len(gone)} are off that were seen within 30 days, whose core hours and jobs are those since ever",
            *(["", *table.columns(rows, right=(3, 4))] if gone else [])]


VERB = Verb("history", f"[{OWN}|{MACHINES}]", "who had how many core hours of the pool, and whose machines gave them; `machines`: those that are off; `token`: what "
            "opens this manager's; `token --new` ends the one shown",
            (DAYS, MANAGER, TOKEN, NEW, JSON), run, (OWN, MACHINES))
