"""The one writer of pool.conf. What it writes is read by the one reader before anybody gets it."""

import re
from typing import NamedTuple

from pool.node import agreed, ini, is_ours, keyboard, poolconf

SPARE = 1024
"""Bytes of a pool.conf that nobody's change may take: the next ticket, or the CA's next certificate, may be longer. So a folder is never stuck."""
CERTIFICATE, TICKET = "=" * 1200, f"00000000-100000-9999999999:{'0' * 32}"
"""As long as any, for a pool that has none yet: of its file the length alone is judged."""


class Facts(NamedTuple):
    """What all machines of a pool have in common; `at` is the first manager's HOST:PORT, `others` are those of the managers beside it;
    `reserved` are the addresses for managers, None where no addresses are kept; `projects` are (name, {says, link}) pairs; `origins` are the web servers that have
    the stack's files, blanks between."""
    name: str
    subnet: str
    at: str
    secret: str
    certificate: str
    others: tuple = ()
    reserved: str | None = None
    projects: tuple = ()
    origins: str = ""


def text(sections):
    """INI text of [(section, {key: value})]; a value of None leaves the key out."""
    lines = []
    for section, keys in sections:
        lines.append(f"[{section}]")
        lines += [f"{key} = {value}" for key, value in keys.items() if value is not None]
        lines.append("")
    return "\n".join(lines)


def manager(facts, admins=(), users=(), **node):
    """The manager's file; `node` are more keys of [node], `admins` (name, key) pairs of who may log in there and ask its CA, `users` of who may log in."""
    return _checked([("pool", _pool(facts)), ("ca", {"certificate": facts.certificate}),
                     ("node", {"role": agreed.MANAGER_ROLE, "port": _port(facts.at), **node}), *_users(admins, admin="yes"), *_users(users),
                     *_origins(facts.origins), *_projects(facts.projects)], "manager's pool.conf")


def other_manager(facts, at, admins=(), **node):
    """The file of a manager beside the first, which everybody reaches there, or nobody where `at` is None; `node` are more keys of [node], `admins` (name, key)
    pairs of who may log in there. It has no CA that one could ask."""
    return _checked([
        ("pool", _pool(facts, [one for one in (facts.at, *facts.others) if one != at])),
        ("ca", {"certificate": facts.certificate}), ("node", {"role": agreed.MANAGER_ROLE, "port": _port(at), **node}), *_users(admins),
        *_origins(facts.origins), *_projects(facts.projects)],
        "other manager's pool.conf")


def worker(facts, ticket, users=(), **node):
    """Everybody else's file."""
    return _checked([
        ("pool", _pool(facts, (facts.at, *facts.others))),
        ("ca", {"certificate": facts.certificate, "ticket": ticket}), *([("node", node)] if node else []), *_users(users),
        *_origins(facts.origins), *_projects(facts.projects)], "volunteers' pool.conf")


def judge(name, subnet, at, users, option="--user"):
    """WowError, naming what a person typed (the users as `option`), if the reader would refuse it. There is no CA yet, so it reads the file of an open pool."""
    for typed, value in ((f'"{name}"', name), ("--subnet", subnet), ("--at", at), *((f"{option} {user}", user) for user in users)):
        # An end of line in a word would be a line of its own in the file.
        if not value.isprintable() or " " in value:
            raise poolconf.WowError("holds a blank or an end of line", "Type it without", "", typed)
    pool = ("pool", {"name": name, "subnet": subnet, "bootstrap": f"udp:{at}", "secret": "0" * 64, "open": "yes"})
    # One by one: whether all of them fit into the file is told of the real one (`must_fit`).
    for some in ((), *([one] for one in users.items())):
        try:
            poolconf.read(text([pool, *_users(some)]).encode(), "")
        except poolconf.WowError as error:
            section, _, key = error.key.partition(" ")
            typed = {"name": f'"{name}"', "subnet": f"--subnet {subnet}", "bootstrap": f"--at {at}"}.get(key)
            raise poolconf.WowError(error.what, error.todo, "", typed or f"{option} {section[len('[user:'):-1]}") from None


def must_fit(written, shown, most=ini.LARGEST):
    """WowError where a pool.conf has more bytes than `most`, which says what takes them."""
    size = len(written.encode())
    if size <= most:
        return
    keys = re.findall(rf"^\[{poolconf.USERS}(.+)\]\nauthorized-key = (.*)$", written, re.MULTILINE)
    why, longest = "Name fewer projects", max(keys, key=lambda one: len(one[1]), default=None)
    if longest:
        why = (f"{len(keys)} people are in it. {longest[0]} has the longest key, of {len(longest[1].encode())} bytes: ask those with RSA keys for an ed25519 key "
               "of some 100 bytes (ssh-keygen -t ed25519), or name fewer people or projects")
    raise poolconf.WowError(f"would have {size} bytes, and {ini.LARGEST - SPARE} fit", why, shown)


def judge_names(names, option="--user"):
    """WowError, naming what a person typed, for somebody who is called as one of the system's accounts: no machine would have an account for them."""
    for name in names:
        if is_ours(name) or name in agreed.BASE_ACCOUNTS.split():
            raise poolconf.WowError("is the name of an account that each machine's system has", "Choose another name", "", f"{option} {name}")


def judge_keyboard(name):
    """WowError that names what is near, where no layout is called so."""
    try:
        keyboard.must_know(name)
    except poolconf.WowError as error:
        raise poolconf.WowError(error.what, error.todo, "", "--keyboard") from None


def judge_origins(value):
    """WowError, naming the option, if the reader would refuse these web servers; else them in their one spelling."""
    if not value.isprintable():
        raise poolconf.WowError("holds an end of line", "Type it without", "", "--origins")
    draft = text([("pool", {"name": "a", "subnet": "10.128.0.0/16", "bootstrap": "udp:a:1", "secret": "0" * 64, "open": "yes"}), *_origins(value)])
    try:
        return " ".join(poolconf.read(draft.encode(), "").origins)
    except poolconf.WowError as error:
        raise poolconf.WowError(error.what, error.todo, "", "--origins") from None


def judge_project(name, says, link):
    """WowError, naming what a person typed, if the reader would refuse a project."""
    for typed, value in (("NAME", name), ("--says", says), ("--link", link)):
        if not value.isprintable() or value != value.strip():
            raise poolconf.WowError("holds an end of line or begins or ends with a blank", "Type it without", "", typed)
    draft = text([("pool", {"name": "a", "subnet": "10.128.0.0/16", "bootstrap": "udp:a:1", "secret": "0" * 64, "open": "yes"}),
                  *_projects([(name, {"says": says, "link": link})])])
    try:
        poolconf.read(draft.encode(), "")
    except poolconf.WowError as error:
        key = error.key.rpartition("] ")[2] if error.key.startswith(f"[{poolconf.PROJECTS}{name}] ") else ""
        raise poolconf.WowError(error.what, error.todo, "", f"--{key}" if key in ("says", "link") else f'"{name}"') from None


def _pool(facts, places=None):
    """[pool] of a machine that finds the others at these places; the first one has none."""
    return {"name": facts.name, "subnet": facts.subnet, "reserved": facts.reserved, "bootstrap": None if places is None else _places(places), "secret": facts.secret}


def _port(at):
    """The port of a place, None for the usual one, and where there is no place."""
    port = at.rpartition(":")[2] if at else ""
    return port if port not in ("", str(agreed.OVERLAY_PORT)) else None


def _places(places):
    return " ".join(f"udp:{place}" for place in places)


def _users(users, **more):
    return [(f"{poolconf.USERS}{name}", {"authorized-key": key, **more}) for name, key in users]


def _projects(projects):
    return [(f"{poolconf.PROJECTS}{name}", {"says": told["says"], "link": told["link"] or None}) for name, told in projects]


def _origins(origins):
    return [("modules", {"origins": origins})] if origins else []


def _checked(sections, shown):
    written = text(sections)
    must_fit(written, shown)
    if CERTIFICATE not in written:
        poolconf.read(written.encode(), shown)
    return written
