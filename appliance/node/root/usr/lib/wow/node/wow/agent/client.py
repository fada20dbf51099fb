"""Asks the agent, as any user of this machine may."""
import os

from wow.config import facts
from wow.lib import lines, paths
from wow.lib.errors import WowError

TIMEOUT = 60.0
"""Seconds. An emulated guest under load takes a few to start the agent."""


def ask(command: str, path: str = paths.AGENT, **fields: str) -> dict[str, object]:
    """Has it done, and returns the reply; WowError says why it was not, with the agent's code."""
    try:
        reply = lines.exchange(path, {"command": command, **fields}, TIMEOUT)
    except FileNotFoundError:
        raise absent(path) from None
    except PermissionError:
        raise WowError("may not be opened by you", "Ask as root, or as a user named in pool.conf (group wow)", path) from None
    except TimeoutError:
        raise WowError(f"nobody answered within {TIMEOUT:.0f} s", "Look with: systemctl status wow-agent.socket; journalctl -u wow-agent", path) from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt("but the agent was asked already, and may do it all the same. Look with: wow status") from None
    except (OSError, ValueError) as error:
        raise WowError(f"did not answer: {error}", "Look with: systemctl status wow-agent.socket; journalctl -u wow-agent", path) from None
    if not isinstance(reply, dict) or not reply.get("ok"):
        said = reply if isinstance(reply, dict) else {}
        raise WowError(str(said.get("error", "no reason was given")), "", code=str(said.get("code", "")))
    return reply


def absent(path: str, configuration: str = facts.FILE) -> WowError:
    """What to tell where nobody listens: wow-config starts the agent's socket when it has taken a pool.conf."""
    if not os.path.exists(configuration):
        return facts.missing()
    return WowError("is missing: the agent is not there", "Ask root to start it with: systemctl start wow-agent.socket", path)
