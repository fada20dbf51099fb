"""A machine without a pool takes a pool.conf and a ticket from its web page, or joins the pool again that it left. What is wrong with them is said here, by the only
reader of pool.conf; wow-take (setup/take.py) keeps them then and starts the machine again, which joins as it would with a disk WOWCFG."""
import binascii
import os

from wow.agent import allowed
from wow.config import facts, poolconf
from wow.config import ticket as tickets
from wow.config.poolconf import Pool
from wow.lib import der, files, modes, paths, system
from wow.lib.errors import WowError
from wow.setup import accept, former, take

NOTHING = "Nothing was changed"
LEAVE = "Leave the pool first, by the key L of the machine's screen or by its web page. A newer pool.conf of the same pool comes by a disk WOWCFG"
TIME = 30.0
"""Seconds for wow-take, which an emulated guest may need a few of."""


def join(fields: dict[str, str], _: int) -> None:
    """Has both kept, and the machine start again."""
    refuse_here()
    data, ticket = decoded(fields.get("pool", "")), fields.get("ticket")
    try:
        pool = poolconf.read(data)
        refuse_others(pool)
    except WowError as error:
        error.code = error.code or allowed.BAD_REQUEST
        raise
    if ticket is not None and not tickets.is_ticket(ticket):
        raise WowError("the ticket is not ID:SECRET", "Copy the line that you were sent, without blanks", code=allowed.BAD_REQUEST)
    if ticket is not None:
        files.write(tickets.TAKEN, ticket + "\n", 0o600)
    elif os.path.exists(tickets.TAKEN):
        os.unlink(tickets.TAKEN)
    files.write(take.BROUGHT, data, 0o600)
    begin()


def rejoin(_: dict[str, str], __: int) -> None:
    """Has the machine take the configuration that it passes over, for it left that pool, and start again."""
    refuse_here()
    if former.passed() is None:
        raise WowError(f"this machine has no configuration of a pool that it left. {NOTHING}", "Give it a pool.conf by its web page", code=allowed.NOT_HERE)
    if os.path.exists(take.BROUGHT):
        os.unlink(take.BROUGHT)
    begin()


def refuse_here() -> None:
    """WowError where this start has a pool, or keeps nothing."""
    if os.path.exists(facts.FILE):
        raise WowError(f"this machine is in pool {facts.read(facts.FILE).name} already. {NOTHING}", LEAVE, code=allowed.NOT_HERE)
    if modes.read()[0] == modes.EPHEMERAL:
        raise WowError("this start keeps nothing, not even a pool.conf", "Choose another entry of the start's menu, then do it again", code=allowed.NOT_HERE)


def begin() -> None:
    """Has wow-take keep what is to be kept, and start the machine again."""
    system.must(["systemctl", "start", take.UNIT], todo=f"The machine's screen says what keeps it. See: journalctl -u {take.UNIT}", timeout=TIME)


def decoded(text: str) -> bytes:
    """The bytes of base 64; WowError if it is none."""
    try:
        return binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except ValueError:
        raise WowError("pool is not base 64", "Send the bytes of pool.conf so", code=allowed.BAD_REQUEST) from None


def refuse_others(pool: Pool) -> None:
    """WowError for a pool.conf that cannot be all of a machine."""
    if pool.is_manager:
        raise WowError(f"is of a manager, whose key comes on its own disk. {NOTHING}", "Give the machine the disk WOWCFG of that manager, or take the pool.conf "
                       "of a worker", "pool.conf", "[node] role")
    if os.path.exists(f"{paths.STATE}/node.pem") and not der.is_renewal(accept.authority(), pool.ca_der):
        raise WowError(f"is of another pool than this machine's certificate. {NOTHING}", LEAVE, "pool.conf", "[ca] certificate", allowed.NOT_HERE)
