"""Made of docs/contract/agent.json by `test/figures --write`: who may ask the agent for what, why it refuses, its limits."""

ROOT = "root"
MEMBER = "member"
CONSOLE = "console"
WEB = "web"
STRANGER = "stranger"
"""Kinds of user."""

BAD_REQUEST = "bad-request"
"""The line is no request, a field of it is wrong or unknown, or it did not come in time."""
UNKNOWN_COMMAND = "unknown-command"
"""There is no such request."""
NOT_PERMITTED = "not-permitted"
"""This user may not make it."""
BUSY = "busy"
"""As many requests of this user as are heard at a time are being heard already."""
NO_JOBS = "no-jobs"
"""This machine runs no jobs of the pool, so there is nothing to pause, to limit or to show."""
NOT_HERE = "not-here"
"""This machine cannot do that, or not in this start; the words say why."""
FAILED = "failed"
"""systemd or the disk did not do it; the words say which."""

LONGEST = 92160
"""Bytes of a request at most: a pool.conf fits."""
MOST = 16
"""Clients that are heard at a time; more of them wait."""
MOST_OF_ONE = 4
"""Of those, of one user; more of that user's are told to come again."""
PATIENCE = 5
"""Seconds in which a client must say what it wants."""
IDLE = 10
"""Seconds without a client until the agent ends. systemd listens, and starts it for the next one."""

REQUESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "enroll": ((ROOT, MEMBER), ("ticket",)),
    "reset": ((ROOT, MEMBER), ()),
    "support": ((ROOT, MEMBER, CONSOLE), ()),
    "pause": ((ROOT, MEMBER, CONSOLE, WEB), ("for", "finish")),
    "resume": ((ROOT, MEMBER, CONSOLE, WEB), ()),
    "limit": ((ROOT, MEMBER, WEB), ("percent", "processors", "memory", "disk", "speed", "month", "hours")),
    "computer": ((ROOT, MEMBER, WEB), ("battery", "used", "busy", "restart", "token")),
    "boot": ((ROOT, MEMBER), ("mode", "module", "over")),
    "leave": ((ROOT, CONSOLE, WEB), ()),
    "join": ((ROOT, WEB), ("pool", "ticket")),
    "rejoin": ((ROOT, CONSOLE, WEB), ()),
    "refuse": ((ROOT, MEMBER, WEB), ("project",)),
    "accept": ((ROOT, MEMBER, WEB), ("project",)),
    "place": ((ROOT, MEMBER, WEB), ("latitude", "longitude")),
    "screen": ((ROOT, MEMBER, WEB), ("keyboard", "password")),
    "unlock": ((CONSOLE,), ("password",)),
    "power-off": ((ROOT, CONSOLE), ()),
    "login": ((ROOT, MEMBER, CONSOLE), ()),
}
"""{command: (kinds of user that may ask, fields that may stand beside `command`)}."""
