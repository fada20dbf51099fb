"""What root does for others on this machine: a table of requests, and what each is answered. Who may make which, and what it may hold, is the
contract's (docs/contract/agent.json). No program is set-uid and nobody needs a password. What takes longer than a moment is started as a unit of
its own, so that the next one is heard meanwhile."""
import grp
import json
import os
import pwd

from wow.acts import boot, computer
from wow.acts import limit as limits
from wow.acts import pause as act
from wow.acts import place as placing
from wow.acts import refuse as refusing
from wow.acts import screen as screens
from wow.agent import allowed
from wow.config import facts, users
from wow.config import ticket as tickets
from wow.join import enrol
from wow.lib import files, paths, system
from wow.lib.errors import WowError
from wow.page import code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


def enroll(fields: dict[str, str], _: int) -> None:
    """Takes up a ticket, where there is one, and has the machine join again."""
    if not os.path.exists(facts.FILE):
        raise facts.missing()
    ticket = fields.get("ticket")
    if ticket is not None:
        if not tickets.is_ticket(ticket):
            raise WowError("the ticket is not ID:SECRET", "Copy the line that `wow-ca ticket` printed, without blanks", code=allowed.BAD_REQUEST)
        files.write(enrol.TICKET, ticket + "\n", 0o600)
    start("restart", "wow-join.service")


def reset(_: dict[str, str], uid: int) -> None:
    """Has the machine forget its identity and start again (reset.py)."""
    keep_authority(uid)
    start("start", "wow-reset.service")


def support(_: dict[str, str], uid: int) -> None:
    """Has root's part of a support file collected for this user alone (support/collect.py)."""
    start("start", f"wow-support@{uid}.service")


def leave(_: dict[str, str], uid: int) -> None:
    """Has the machine forget its identity and switch off (reset.py)."""
    keep_authority(uid)
    start("start", "wow-leave.service")


def keep_authority(uid: int, folder: str = paths.AUTHORITY) -> None:
    """WowError for all but root on the machine that has the pool's CA, with which everybody's membership would be lost."""
    if uid != 0 and os.path.isdir(folder):
        raise WowError("this machine has the pool's certificate authority, which would be lost with it",
                       "If that is meant, remove the machine and its disks in the hypervisor", code=allowed.NOT_PERMITTED)


def join(fields: dict[str, str], uid: int) -> None:
    """Takes a pool.conf on a machine that has none (newcomer.py)."""
    # Here, for it reads pool.conf, and the agent starts often and mostly for something else.
    from wow.acts import newcomer
    newcomer.join(fields, uid)


def rejoin(fields: dict[str, str], uid: int) -> None:
    """Has a machine join the pool again that it left (newcomer.py)."""
    from wow.acts import newcomer
    newcomer.rejoin(fields, uid)


def power_off(_: dict[str, str], __: int) -> None:
    """Switches the machine off, as its power button does."""
    system.must(["systemctl", "poweroff", "--no-block"], todo="Look with: systemctl list-jobs", timeout=10.0)


def login(_: dict[str, str], __: int) -> dict[str, str]:
    """Makes the code by which a browser logs in to the web page (page/code.py)."""
    return {"login": code.make()}


def start(verb: str, unit: str) -> None:
    """Hands work to systemd, which answers at once; WowError if it does not take it."""
    system.must(["systemctl", verb, "--no-block", unit], todo=f"Look with: systemctl status {unit}", timeout=10.0)


TABLE: "dict[str, Callable[[dict[str, str], int], dict[str, str] | None]]" = {
    "enroll": enroll, "reset": reset, "support": support, "pause": act.pause, "resume": act.resume, "limit": limits.limit, "computer": computer.computer,
    "boot": boot.boot, "leave": leave, "join": join, "rejoin": rejoin, "refuse": refusing.refuse, "accept": refusing.accept, "place": placing.place,
    "screen": screens.screen, "unlock": screens.unlock, "power-off": power_off, "login": login}
"""What does each request of the contract, given its fields, for the user of a number, and what its reply holds beside ok."""


def kind(uid: int) -> str:
    """root, the page on the console, the web page, one of the people of pool.conf (group wow), or a stranger, which accounts of jobs and of the system are, too."""
    if uid == 0:
        return allowed.ROOT
    if uid == users.CONSOLE_UID:
        return allowed.CONSOLE
    if uid == users.WEB_UID:
        return allowed.WEB
    try:
        is_member = pwd.getpwuid(uid).pw_name in grp.getgrgid(users.GROUP_ID).gr_mem
    except KeyError:
        return allowed.STRANGER
    return allowed.MEMBER if is_member else allowed.STRANGER


def answer(line: bytes, uid: int) -> dict[str, object]:
    """The reply to one line of a user, whom the kernel named by number; what was asked is done then. The journal gets who asked, but no field:
    one may be a secret."""
    name = ""
    try:
        name, fields = read(line)
        if name not in TABLE:
            raise WowError("there is no such request", f"Use one of {', '.join(TABLE)}", code=allowed.UNKNOWN_COMMAND)
        who, known = allowed.REQUESTS[name]
        if kind(uid) not in who:
            raise WowError(f"{name} is not for you to ask", "Ask as root, or as a user named in pool.conf (group wow)", code=allowed.NOT_PERMITTED)
        if unknown := set(fields) - set(known):
            raise WowError(f"{name} takes no {', '.join(sorted(unknown))[:60]}", f"Give {' or '.join(known) or 'nothing'}", code=allowed.BAD_REQUEST)
        reply: dict[str, object] = {"ok": True, **(TABLE[name](fields, uid) or {})}
    except WowError as error:
        reply = refusal(error)
    except OSError as error:
        reply = refusal(WowError(f"{error.filename or 'a file'} cannot be written: {error.strerror}", "Start the machine again", code=allowed.FAILED))
    print(f"{name if name in TABLE else 'something'}, asked by number {uid}: {reply.get('code', 'done')}", flush=True)
    return reply


def read(line: bytes) -> tuple[str, dict[str, str]]:
    """The command and the other fields of a request; WowError if the line is none."""
    try:
        found = json.loads(line)
        # JSON has words for half a character, like \ud800, which nothing here can write or hand on.
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()) or "command" not in found:
        raise WowError("this is no request", 'Send one JSON object a line whose values are text, like {"command":"enroll"}', code=allowed.BAD_REQUEST)
    return found.pop("command"), found


def refusal(error: WowError) -> dict[str, object]:
    """The reply that says what is wrong, in ipopd's form."""
    return {"error": str(error), "code": error.code or allowed.FAILED, "ok": False}
