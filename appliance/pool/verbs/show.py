"""Shows what a pool's folder holds, and with --via the pool's history, which the running manager keeps: who had how many core hours, and whose machines
gave them. The folder knows what was made here; machines, and how many have used a ticket, are known to the manager."""

import datetime
import json
import re
import shlex

from pool import here, opening, programs
from pool.folder import Folder
from pool.node import WowError, agreed, history, table, token
from pool.pool import FIRST

SUMMARY = "shows what a pool's folder holds, and the history that its manager keeps"
LOGIN = re.compile(r"(?:[a-z][a-z0-9_-]{0,31}@)?[A-Za-z0-9][A-Za-z0-9.:-]{0,252}")
"""[USER@]HOST: nothing that ssh takes for an option."""


def add(parser):
    """Adds its words to the parser."""
    parser.add_argument("folder", metavar="FOLDER", help="the pool's folder")
    parser.add_argument("--via", metavar="USER@HOST", help="also ask the running manager for its history, by ssh to any machine of the pool where you may log in")
    parser.add_argument("--days", type=int, metavar="N", help="of the last N days (1 to 731); since ever if none is named")
    parser.add_argument("--manager", metavar="NAME", help="whose history or token, where there are several; the first one's if none is named")
    parser.add_argument("--token", action="store_true", help="print alone what opens the manager's figures, for Prometheus and for wow history --token")
    parser.add_argument("--number", type=int, default=token.FIRST, metavar="N", help="the token that holds after `wow history token --new` was typed N-1 times for that "
                        "manager")


def run(given, context):
    """Prints it."""
    folder = Folder(given.folder)
    folder.read()
    if not token.FIRST <= given.number <= token.LAST:
        raise WowError(f"goes from {token.FIRST} to {token.LAST}", "The manager names it to who shows another token", "--number")
    if given.token:
        secret = token_of(folder, given)
        context.plain(secret)
        context.tell({"token": secret})
        return
    if given.via is not None and not LOGIN.fullmatch(given.via):
        raise WowError("is not USER@HOST", "Name a machine of the pool where you may log in, like alice@192.168.1.57", f"--via {given.via}")
    if given.days is not None and given.via is None:
        raise WowError("is of the history, for which a machine has to be asked", "Say --via USER@HOST, too", "--days")
    if given.manager is not None and given.via is None:
        raise WowError("is of the history, for which a machine has to be asked", "Say --via USER@HOST, too", "--manager")
    with opening.locked(folder, context) as held:
        pool = opening.pool(folder, context, held)
        told = opening.facts(pool)
    built = context.clone.noted()
    for one in told["images"]:
        one["current"] = one["release"] == context.clone.release and built.get(one["source"], one["sha256"]) == one["sha256"]
    told["history"] = asked(given, token_of(folder, given)) if given.via else None
    context.tell(told)
    context.plain("\n".join([*lines(told), *(["", *history.lines(told["history"])] if given.via else [])]))


def ends(not_after, backup):
    """What is said of the folder's copy of the CA's certificate a year before it ends, "" before that. backup: what
    takes a newer one over."""
    left = datetime.datetime.fromisoformat(not_after) - datetime.datetime.now(datetime.timezone.utc)
    return (". It ends within a year, and with it the pool: renew it before, on the manager with the CA, by wow-ca renew-authority. Where that was done, this "
            f"folder has the one before it: {backup} --ca DIR takes the new one over"
            if left.total_seconds() < agreed.AUTHORITY_WARNING else "")


def token_of(folder, given):
    """What opens the figures of a manager: of --manager, of the first one if none is named; --number says which of its tokens holds."""
    known = {FIRST: folder.manager, **{one["host"]: folder.other(one["host"]) for one in folder.read().managers}}
    host = given.manager or FIRST
    if host not in known:
        raise WowError("is no manager of this pool", f"One of: {', '.join(known)}", "", f"--manager {host}")
    key = known[host] / "node.key"
    try:
        return token.from_key(key.read_bytes(), given.number)
    except FileNotFoundError:
        raise opening.half_made(folder) from None


def asked(given, secret):
    """A manager's history, by way of a machine of the pool. The token goes through a pipe, for a command's words are seen by everybody on a machine."""
    words = ["wow", "history", "--json", "--token", "-", *(["--days", str(given.days)] if given.days is not None else []),
             *(["--manager", given.manager] if given.manager else [])]
    where = given.via
    said = programs.run("ssh", "-o", "ConnectTimeout=15", "--", where, *words, text=secret + "\n")
    try:
        told = json.loads(said)
        history.lines(told)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise WowError("printed no history", "Log in there and look what `wow history` says", where) from None
    return told


def lines(told):
    """What the folder holds, for people."""
    backup, stamp = (f"{here.typed()} {verb} {shlex.quote(told['folder'])}" for verb in ("backup", "stamp"))
    rows = [["pool", told["name"]], ["folder", told["folder"]], ["subnet", told["subnet"]], ["manager at", f"{told['at']} (UDP)"],
            ["CA", f"valid until {told['ca']['not_after'][:10]}, SHA-256 {told['ca']['sha256']}{ends(told['ca']['not_after'], backup)}"]]
    rows += [["manager", f"{row['host']} {row['address']}{' with the CA' if row['ca'] else ''}{', at ' + row['at'] if row['at'] else ''}, "
              f"first certificate until {row['not_after'][:10]}"] for row in told["manager"]]
    rows += [["ticket", f"{row['id']}, {row['machines']} machines until {row['not_after'][:10]}"] for row in told["tickets"]]
    rows += [[kind, f"{name}, {key.split()[0]} {' '.join(key.split()[2:])}".rstrip()] for kind in ("user", "admin") for name, key in told[f"{kind}s"].items()]
    rows += [["project", f"{row['name']}: {row['says']} {row['link']}".rstrip()] for row in told["projects"]]
    rows += [["file", f"{row['file']}, {table.size(row['bytes'])}, release {row['release']}{'' if row['current'] else f', not of the last build: {stamp}'}"]
             for row in told["images"]]
    rows += [] if told["images"] else [["file", f"none: {stamp} makes them"]]
    sealed = told["backup"]
    rows.append(["backup", f"{sealed['file']}, {sealed['made'][:10]}{'' if sealed['current'] else f', older than what it holds: {backup}'}"
                 if sealed else f"none: {backup} makes one"])
    return table.columns(rows)
