"""wow-config: reads pool.conf and generates everything that follows from it. Runs once, early, before any network device is up.

What it writes under /run/wow and /etc is new at every boot. It always ends with exit 0 or 1 and a console line; the machine goes on to
its login prompt either way, because a person can help it only from there."""
import os
import time

from wow.condor import managers, mapfile
from wow.config import facts, names, ticket, users
from wow.config.poolconf import Pool
from wow.lib import console, der, files, modes, paths, pem
from wow.lib.errors import WowError
from wow.seal import fence, slots
from wow.setup import accept, accounts, dnsmasq, forget, former, ipopd, outside, screen, zone

KEYS = "keys.notice"
"""On the disk, and in the state folder: the keys of the stack. ipopd believes none but those that go on from them."""


def main() -> int:
    """Exit code: 0 when the machine has a configuration."""
    os.umask(0o022)
    os.makedirs(paths.RUN, exist_ok=True)
    console.begin()
    try:
        forget.finish()
    except OSError as error:
        console.say_of_start(accounts.full(error))
    try:
        if modes.developed():
            accounts.take_back()
        accounts.own()
    except OSError as error:
        console.say_of_start(no_memory(error, "/etc"))
    try:
        pool, data, refused = accept.choose()
    except WowError as error:
        console.say_of_start(error)
        without_a_pool()
        return 1
    screen.choose(pool.values["node", "console"])
    if trouble := refused or outside.trouble(pool):
        console.say_of_start(trouble)
    try:
        state(pool, data)
    except OSError as error:
        # A full or broken home must not keep the machine away from its pool: it runs from what it has.
        console.say_of_start(accounts.full(error))
    try:
        generate(pool, data)
    except OSError as error:
        console.say_of_start(no_memory(error, paths.RUN))
        return 1
    console.say("config", pool=pool.name, role=pool.role, subnet=pool.subnet, open="yes" if pool.open else None,
                source="the copy accepted before" if refused else None)
    return 0


def no_memory(error: OSError, place: str) -> WowError:
    """What to tell where what is new at each boot could not be written: it lies in memory. place: where that was, if the error does not say."""
    return WowError(f"cannot be written: {error.strerror}", "Give the machine more memory and start it again", error.filename or place)


def without_a_pool() -> None:
    """What a machine has that waits for a pool.conf: the page on its screen, the group that lets both pages ask the agent, and a fence that lets the web page in and
    nothing else."""
    screen.choose(screen.PAGE)
    try:
        accounts.make({})
        open_run()
        screen.hand("", "")
        if passed := former.passed():
            files.write(paths.LEFT_POOL, f"{passed[1]}\n")
        files.write(f"{paths.RUN}/sockets.nft", fence.without_a_pool())
    except OSError as error:
        console.say_of_start(no_memory(error, "/etc"))


def state(pool: Pool, data: bytes) -> None:
    """What is kept: the accepted pool.conf, the CA's certificate, an identity that was made by hand. OSError: the home is full."""
    os.chmod(paths.STATE, 0o755)
    for folder, mode in (("ssh", 0o700), *((("capture", 0o755),) if pool.capture else ())):
        path = f"{paths.STATE}/{folder}"
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
    if pool.ca_der:
        text, found = pem.encode(pool.ca_der), files.find_readable(f"{paths.STATE}/ca.pem")
        if der.is_renewal(accept.authority(), pool.ca_der):
            # The one that ends last counts, the disk's or what the CA renewed it to.
            if ended(found) < ended(text):
                files.write(f"{paths.STATE}/ca.pem", text, 0o644, sync=True)
        else:
            # What another CA signed would keep this one's list from being taken.
            if os.path.exists(managers.KEPT):
                os.remove(managers.KEPT)
            # Nor does another pool say which modules and system this machine takes: wow-stack believes what ipopd kept.
            from wow.stack import kept
            kept.forget()
            if os.path.exists(f"{paths.STATE}/{KEYS}"):
                os.remove(f"{paths.STATE}/{KEYS}")
            files.write(f"{paths.STATE}/ca.pem", text, 0o644, sync=True)
    if pool.ca_der and not os.path.exists(managers.KEPT):
        # Before ipopd starts, so that a second manager never takes the first one's names.
        copy(managers.ON_DISK, managers.KEPT)
    if pool.ca_der:
        # Before ipopd starts, so that it believes nobody else's first ones. A disk that has none changes nothing.
        copy(f"{paths.DISK}/{KEYS}", f"{paths.STATE}/{KEYS}")
    is_kept = accept.is_kept(data)
    ticket.bring(is_kept)
    source = f"{paths.DISK}/{'manager' if pool.is_manager else 'machine'}"
    # Before the identity: a CA that lacks no more than these two is whole again, and nothing of it is put aside.
    heal_authority(pool, f"{paths.STATE}/ca", f"{source}/ca")
    take_identity(source, paths.STATE)
    # Before the file itself: a power cut between them is set right at the next start.
    outside.keep(pool, paths.STATE)
    former.note(pool.name, data, is_kept)
    accept.keep(data)


def copy(source: str, target: str) -> None:
    """Copies a file that anybody may read; there may be none."""
    if os.path.exists(source):
        with open(source, "rb") as file:
            files.write(target, file.read(), 0o644, sync=True)


def take_identity(source: str, target: str) -> None:
    """Copies certificate and key, and a manager's CA, once. The key comes last: a power cut before it makes the next boot copy again. Later only a certificate
    for the same key is taken, where the machine's own has ended: a manager beside the one with the CA that was off for long has no other way back.
    OSError: the home is full."""
    if not os.path.isdir(source):
        return
    if files.find_readable(f"{target}/node.key") is not None:
        take_certificate(source, target)
        return
    # A disk may lose the key alone. The CA here knows whom it admitted and revoked since the disk WOWCFG was made.
    if os.path.isdir(f"{source}/ca") and not has_authority(f"{target}/ca"):
        take_authority(f"{source}/ca", f"{target}/ca")
    for name, mode in (("node.pem", 0o644), ("node.key", 0o600)):
        if os.path.exists(f"{source}/{name}") and not (name == "node.pem" and is_newer(f"{target}/{name}", f"{source}/{name}")):
            with open(f"{source}/{name}", "rb") as file:
                files.write(f"{target}/{name}", file.read(), mode, sync=True)


def heal_authority(pool: Pool, folder: str, source: str) -> None:
    """Gives a CA whose database is there its key and its certificate back, where these cannot be read: it would not start. The key never changes, so that of the
    same CA on the disk WOWCFG is as good; the certificate the machine has elsewhere. source: the CA's folder there. OSError: the home is full."""
    if not has_database(folder):
        return
    before = accept.authority() or pool.ca_der
    if before and pem.certificate(files.find_readable(f"{folder}/ca.pem")) is None:
        files.write(f"{folder}/ca.pem", pem.encode(before), 0o644, sync=True)
    own = pem.certificate(files.find_readable(f"{folder}/ca.pem"))
    if own and not has_key(folder) and has_key(source) and der.is_renewal(own, pem.certificate(files.find_readable(f"{source}/ca.pem"))):
        files.write(f"{folder}/ca.key", files.read(f"{source}/ca.key"), 0o600, sync=True)
        console.say_of_start(WowError(
            "the key of the pool's CA was missing, empty or unreadable. That of the disk WOWCFG is in its place: it is the same one, and the CA knows what it knew",
            "The disk may be failing: copy it", f"{folder}/ca.key"))


def has_authority(folder: str) -> bool:
    """Whether a folder is a CA that can go on: its key and its database are there, and hold something."""
    return has_key(folder) and has_database(folder)


def has_key(folder: str) -> bool:
    """Whether a CA's folder has its key."""
    return begins(f"{folder}/ca.key", b"-----BEGIN ")


def has_database(folder: str) -> bool:
    """Whether it has its database. SQLite would take an empty file for a new one."""
    return begins(f"{folder}/ca.db", b"SQLite format 3\0")


def begins(path: str, head: bytes) -> bool:
    """Whether a file begins so; one that is not there or cannot be read does not."""
    try:
        with open(path, "rb") as file:
            return file.read(len(head)) == head
    except OSError:
        return False


def take_authority(source: str, target: str) -> None:
    """Copies a CA as a whole. What is left of another one is put aside and told, for it may be all that knows whom the pool revoked. OSError: the home is full."""
    import shutil
    shutil.rmtree(f"{target}.new", ignore_errors=True)
    shutil.copytree(source, f"{target}.new")
    _private(f"{target}.new")
    if os.path.lexists(target):
        aside = next(name for name in (f"{target}.aside-{number}" for number in range(1, 1000)) if not os.path.lexists(name))
        os.rename(target, aside)
        console.say_of_start(WowError(
            f"the pool's CA was damaged: ca.key or ca.db is missing, empty or unreadable. It is {aside} now. The copy on the disk WOWCFG is in its place, and knows "
            "nobody whom the pool admitted or revoked after that disk was made",
            "The disk may be failing. Start a backup of the machine, if there is one. Else the CA takes the pool's list of revoked machines from other machines, and "
            "`wow status` shows how many they are. One that is not on it by then: wow-ca revoke SERIAL --unknown", target))
    os.rename(f"{target}.new", target)
    files.sync_folder(target)


def is_newer(own: str, other: str) -> bool:
    """Whether the machine's own certificate is one of the same key that ends later."""
    texts = files.find_readable(own), files.find_readable(other)
    return ended(texts[0]) > ended(texts[1]) and der.is_renewal(pem.certificate(texts[0]), pem.certificate(texts[1]))


def take_certificate(source: str, target: str) -> None:
    """Takes the certificate that stands beside the same key on the disk, if it is good for longer than the own one, which has ended."""
    own, other = (ended(files.find_readable(f"{folder}/node.pem")) for folder in (target, source))
    if own < min(other, time.time()) and files.find(f"{source}/node.key") == files.find(f"{target}/node.key"):
        files.write(f"{target}/node.pem", files.read(f"{source}/node.pem"), 0o644, sync=True)


def ended(text: str | None) -> int:
    """When a certificate ends or has ended, in seconds since 1970; 0 for what is none."""
    try:
        return der.validity(pem.certificate(text) or b"")[1]
    except ValueError:
        return 0


def _private(folder: str) -> None:
    for path, _, names_ in os.walk(folder):
        os.chmod(path, 0o700)
        for name in names_:
            os.chmod(f"{path}/{name}", 0o600)
    os.sync()


def open_run() -> None:
    """What group wow may read, and the web page's account is in it, is that group's there."""
    os.chown(paths.RUN, 0, users.GROUP_ID)
    os.chmod(paths.RUN, 0o2755)


def generate(pool: Pool, data: bytes) -> None:
    """Everything under /run/wow and /etc."""
    run = paths.RUN
    accounts.make(pool.users, pool.admins)
    open_run()
    files.write(f"{run}/pool.conf", data, 0o600)
    files.write(facts.FILE, facts.text(pool))
    files.write(paths.IPOPD_CONF, ipopd.config(pool), 0o600)
    files.write(f"{run}/sockets.nft", fence.sockets(pool, is_develop=bool(modes.developed())))
    files.write(f"{run}/starters.nft", slots.starters())
    files.write(f"{run}/wire.nft", fence.wire(pool))
    files.write(f"{run}/policies", fence.policies(pool))
    if pool.origins:
        files.write(paths.ORIGINS, "".join(f"{one}\n" for one in pool.origins))
    files.write(f"{run}/dnsmasq.conf", dnsmasq.config(pool))
    files.write(f"{run}/upstream.conf", "")
    copy(managers.ON_DISK, managers.BROUGHT)
    files.write(mapfile.FILE, mapfile.text(pool))
    files.write("/etc/resolv.conf", dnsmasq.resolv_conf(pool))
    files.write("/etc/hosts", names.hosts())
    for trouble in (zone.choose(pool.values["node", "time-zone"]), *screen.hand(pool.values["node", "keyboard"], pool.values["node", "console-password"])):
        if trouble:
            console.say_of_start(trouble)
    if pool.open:
        files.write(f"{run}/open", "This pool has no CA and no IPsec.\n")
    if pool.is_manager:
        files.write(f"{run}/manages", "")
