"""The one entry to what systemd starts of the package wow: main.py PROGRAM.

Units run it as `python3 -I -S`, which looks into no folder of a user's. This file is compiled at every start, the package once, with the image: so
it holds nothing but the way in."""
import sys

# The writable layer is memory: no compiled copies in it.
sys.dont_write_bytecode = True
sys.path.insert(0, __file__.rpartition("/")[0])


def config() -> int:
    """wow-config.service."""
    from wow.setup import configure
    return configure.main()


def join() -> int:
    """wow-join.service."""
    from wow.join import join as joining
    return joining.main()


def renew() -> int:
    """wow-renew.service."""
    from wow.join import renew as renewal
    return renewal.main()


def agent() -> int:
    """wow-agent.service."""
    from wow.acts import server
    return server.main()


def reset() -> int:
    """wow-reset.service."""
    from wow.acts import reset as forgetting
    return forgetting.main()


def leave() -> int:
    """wow-leave.service."""
    from wow.acts import reset as forgetting
    return forgetting.leave()


def revoked() -> int:
    """For the script `watch`."""
    from wow.seal import revoked as revocation
    return revocation.main()


def jobs() -> int:
    """wow-jobs.service."""
    from wow.jobs import keeper
    return keeper.main()


def managers() -> int:
    """For the script `watch`."""
    from wow.join import relist
    return relist.main()


def pace() -> int:
    """wow-pace.service."""
    from wow.condor import pace as pacing
    return pacing.main()


def support() -> int:
    """wow-support@.service."""
    from wow.support import collect
    return collect.main()


def pool() -> int:
    """wow-pool.service."""
    from wow.history import keeper
    return keeper.main()


def copy() -> int:
    """wow-pool-page.service."""
    from wow.history import page_copy
    return page_copy.main()


def take() -> int:
    """wow-take.service."""
    from wow.setup import take as taking
    return taking.main()


def web() -> int:
    """wow-web.service."""
    from wow.web import server
    return server.main()


def stack() -> int:
    """wow-stack.service."""
    from wow.stack import bring
    return bring.main()


def system() -> int:
    """wow-system.service."""
    from wow.stack import replace
    return replace.main()


def share() -> int:
    """wow-share@.service."""
    from wow.stack import share as sharing
    return sharing.main()


def origin() -> int:
    """wow-origin@.service."""
    from wow.stack import tls
    return tls.main()


def origins() -> int:
    """wow-origins.service."""
    from wow.stack import named
    return named.main()


def keyboard() -> int:
    """wow-keyboard.service."""
    from wow.acts import screen as act
    return act.main()


PROGRAMS = {"config": config, "join": join, "renew": renew, "agent": agent, "reset": reset, "leave": leave, "revoked": revoked, "jobs": jobs, "managers": managers,
            "pace": pace, "support": support, "pool": pool, "copy": copy, "take": take, "web": web, "stack": stack, "system": system, "share": share,
            "origin": origin, "origins": origins, "keyboard": keyboard}

if len(sys.argv) != 2 or sys.argv[1] not in PROGRAMS:
    sys.exit(f"main.py: name one program of {', '.join(PROGRAMS)}")
sys.exit(PROGRAMS[sys.argv[1]]())
