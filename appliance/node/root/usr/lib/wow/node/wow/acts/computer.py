"""What the agent does for `wow computer`: keeps what the owner chose, makes and forgets the token by which a computer tells of itself, and wakes wow-jobs."""
import os

from wow.acts import pause as act
from wow.agent import allowed
from wow.computer import seen, settings
from wow.lib.errors import WowError
from wow.stops import holding, rounds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wow.computer.settings import Settings

SECRET = 16
"""Bytes of a token."""
YES = {"yes": True, "no": False}
FORGET = {"token": "forget"}
"""What a request says that forgets the token: any machine may, and where the file is no good it is made anew by that."""


def computer(fields: dict[str, str], _: int) -> dict[str, str] | None:
    """Changes what is named, and returns a new token where one was asked for."""
    if not fields:
        raise _refused("nothing is said", "Give one of battery, used, busy, restart, token")
    if fields != FORGET and set(fields) != {"restart"}:
        act.must_run_jobs("stop")
    former = act.former(settings.load, settings.Settings, fields == FORGET or set(settings.NAMES) <= set(fields))
    secret = os.urandom(SECRET).hex() if fields.get("token") == "new" else ""
    found = changed(former, fields, secret)
    try:
        settings.keep(found)
    except OSError as error:
        raise WowError(f"{settings.FILE} cannot be written, so nothing was changed: {error.strerror}", "Make room in /home", code=allowed.FAILED) from None
    was = seen.read()
    if was.why and seen.reason(found, was.told, was.busy) is None:
        # wow-jobs would find that some seconds later.
        seen.write(seen.Seen(None, 0, was.busy, was.share, was.told))
        try:
            rounds.apply(holding.read())
        except OSError:
            pass  # HTCondor was started anew while the agent runs, which does not see its new groups; wow-jobs does
    act.wake()
    return {"token": secret} if secret else None


def changed(former: "Settings", fields: dict[str, str], secret: str) -> "Settings":
    """The former choices with those of the fields; WowError for what cannot be chosen."""
    found = settings.Settings(former.battery, former.used, former.busy, former.token, former.restart)
    for name in ("battery", "busy", "restart"):
        if name in fields:
            if fields[name] not in YES:
                raise _refused(f"{name} is yes or no", f"Say yes to have {'the machine start again by itself' if name == 'restart' else 'jobs stand still then'}")
            setattr(found, name, YES[fields[name]])
    if (used := fields.get("used")) is not None:
        if used != "none" and not (used.isascii() and used.isdigit() and len(used) <= 4 and 1 <= int(used) <= settings.LONGEST_USED):
            raise _refused("used is no such number of minutes", f"Give 1 to {settings.LONGEST_USED}, or none to let jobs run while somebody uses the computer")
        found.used = None if used == "none" else int(used)
    if (token := fields.get("token")) is not None:
        if token not in ("new", "forget"):
            raise _refused("token is new or forget", "Ask for one of them")
        # Here, for it loads OpenSSL, which nothing else does that the agent is started for.
        from wow.page import code
        found.token = code.digest(secret) if secret else ""
    return found


def _refused(what: str, todo: str) -> WowError:
    return WowError(what, todo, code=allowed.BAD_REQUEST)
