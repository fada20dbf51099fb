"""Accounts: the people of pool.conf and the accounts of jobs, as lines of /etc/passwd, /etc/group and /etc/shadow.

The writable layer above /etc is new at every boot, homes are not: a person keeps their number in the state folder's file `users`."""
from wow.lib import agreed, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

GROUP, GROUP_ID = "wow", 990
ADMINS, ADMINS_ID = agreed.ADMIN_GROUP, 987
FIRST_UID, LAST_UID = 1000, 1999
NUMBERS = f"{paths.STATE}/users"
"""The file with the numbers of people."""
JOB = "wowjob"
"""How the names of jobs' accounts begin; a number follows. HTCondor takes each such name for a job's (condor/drop_in.py, condor/mapfile.py)."""
CONSOLE, CONSOLE_UID = "wow-console", 989
WEB, WEB_UID = agreed.WEB_ACCOUNT, 988
"""The accounts of the page on the console and of the web page. Their group is the people's, who may ask the agent and ipopd."""
ORIGIN, ORIGIN_UID, NOGROUP = "wow-origin", paths.ORIGIN_UID, 65534
"""The account that speaks with origins. It is in nobody's group, and the fence knows its number."""
OWN_IDS = {GROUP_ID, ADMINS_ID, CONSOLE_UID, WEB_UID, ORIGIN_UID}
"""Numbers of users and groups that `own` and `add` give on each machine, beside people's and jobs'."""


def numbers(kept: str, names: "Iterable[str]", owners: dict[str, int]) -> dict[str, int]:
    """The file `users` (lines NAME UID) with every name in it; who is in it already keeps their number. owners: {name: uid} of the homes that are there, which
    come before the file, for that may be lost or spoilt: nobody gets the number of another one's home. A name is left out where no number is free: those behind
    LAST_UID are the jobs'."""
    known: dict[str, int] = {}
    for name, uid in [*sorted(owners.items()), *lines(kept)]:
        if name not in known and FIRST_UID <= uid <= LAST_UID and uid not in known.values():
            known[name] = uid
    taken = {*known.values(), *owners.values()}
    for name in sorted(set(names) - set(known)):
        uid = max([FIRST_UID - 1, *taken]) + 1
        if uid > LAST_UID:
            # One spoilt line is enough to come here.
            uid = next((one for one in range(FIRST_UID, LAST_UID + 1) if one not in taken), 0)
        if uid:
            known[name] = uid
            taken.add(uid)
    return known


def lines(kept: str) -> list[tuple[str, int]]:
    """(name, number) of each line of the file `users` that says so."""
    words = (line.split() for line in kept.splitlines())
    return [(one[0], int(one[1])) for one in words if len(one) == 2 and len(one[1]) == 4 and one[1].isdecimal()]


def of_the_system(passwd: str, names: "Iterable[str]") -> list[str]:
    """Those of these people who have the name of one of the system's accounts; an account with a person's number is none of these."""
    accounts = (line.split(":") for line in passwd.splitlines())
    system = {name for name, *rest in accounts if not (len(rest) > 1 and rest[1].isdecimal() and FIRST_UID <= int(rest[1]) <= LAST_UID)}
    return [name for name in names if name in system or is_ours(name)]


def is_ours(name: str) -> bool:
    """Whether `own` and `add` make this account or group on each machine, whoever its people are."""
    return name in (GROUP, ADMINS, CONSOLE, WEB, ORIGIN) or (name.startswith(JOB) and name.removeprefix(JOB).isdecimal())


def without(text: str, people: "set[str]") -> str:
    """passwd, group or shadow without the lines that `own` and `add` put there."""
    names = ((line, line.split(":")[0]) for line in text.splitlines(keepends=True))
    return "".join(line for line, name in names if name not in people and not is_ours(name))


def own(passwd: str, shadow: str) -> tuple[str, str]:
    """(passwd, shadow) with the accounts of both pages, which are there before and without a pool.conf, and that of wow-origin@."""
    for name, uid, group, says in ((CONSOLE, CONSOLE_UID, GROUP_ID, "the page on the console"), (WEB, WEB_UID, GROUP_ID, "the web page"),
                                   (ORIGIN, ORIGIN_UID, NOGROUP, "TLS with origins")):
        passwd += f"{name}:x:{uid}:{group}:{says}:/nonexistent:/usr/sbin/nologin\n"
        shadow += f"{name}:*:19000:0:99999:7:::\n"
    return passwd, shadow


def add(passwd: str, group: str, shadow: str, people: dict[str, int], admins: "Iterable[str]" = ()) -> tuple[str, str, str]:
    """(passwd, group, shadow) with people ({name: uid}) and jobs' accounts added. Nobody has a password, nobody is in a group by which one becomes root."""
    for name, uid in people.items():
        passwd += f"{name}:x:{uid}:{uid}::/home/{name}:/bin/bash\n"
        group += f"{name}:x:{uid}:\n"
        shadow += f"{name}:*:19000:0:99999:7:::\n"
    group += f"{GROUP}:x:{GROUP_ID}:{','.join(people)}\n{ADMINS}:x:{ADMINS_ID}:{','.join(admins)}\n"
    for number in range(paths.JOB_ACCOUNTS):
        name, uid = f"{JOB}{number + 1}", paths.FIRST_JOB_UID + number
        passwd += f"{name}:x:{uid}:{uid}:a job of the pool:/nonexistent:/usr/sbin/nologin\n"
        group += f"{name}:x:{uid}:\n"
        shadow += f"{name}:*:19000:0:99999:7:::\n"
    return passwd, group, shadow
