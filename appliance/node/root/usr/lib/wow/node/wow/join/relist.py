"""What follows from a new list of managers: whom HTCondor tells of this machine, its own names, where the CA is served."""
from wow.condor import managers
from wow.config import facts, names
from wow.join import member
from wow.lib import console, control
from wow.lib.errors import WowError


def main() -> int:
    """Exit code; `watch` starts it when there is a new list."""
    try:
        pool, status = facts.read(), control.status()
        if address := status["address"]:
            host = status["host"] or names.default_host(address)
            managers.tell(pool, status, host)
            member.follow(pool, status, address)
            managers.taken_off(pool, status, host)
        return 0
    except WowError as error:
        console.say_error(error)
        return 1
