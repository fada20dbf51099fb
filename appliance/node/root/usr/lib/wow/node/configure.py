"""wow-config: reads pool.conf and generates everything that follows from it. Runs once, early, before any network device is up.

What it writes under /run/wow and /etc is new at every boot. It always ends with exit 0 or 1 and a console line; the machine goes on to
its login prompt either way, because a person can help it only from there."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# The writable layer is memory: no compiled copies in it.
sys.dont_write_bytecode = True

import accept
import asking
import console
import files
from errors import WowError
from generate import condor, dnsmasq, fence, ipopd, names, paths, users


def main():
    """Exit code: 0 when the machine has a configuration."""
    os.umask(0o022)
    os.makedirs(paths.RUN, exist_ok=True)
    console.clear_error()
    try:
        pool, data, refused = accept.choose()
        users.refuse_taken(files.read("/etc/passwd", ""), pool.users)
    except WowError as error:
        console.say_error(error)
        return 1
    if refused:
        console.say_error(refused)
    try:
        state(pool, data)
    except OSError as error:
        # A full or broken home must not keep the machine away from its pool: it runs from what it has.
        console.say_error(full(error))
    try:
        generate(pool, data)
    except OSError as error:
        console.say_error(WowError(f"cannot be written: {error.strerror}", "Give the machine more memory and start it again", error.filename or paths.RUN))
        return 1
    console.say("config", pool=pool.name, role=pool.role, subnet=pool.subnet, open="yes" if pool.open else None,
                source="the copy accepted before" if refused else None)
    return 0


def full(error):
    """What to say when the state folder cannot be written."""
    return WowError(f"cannot be written: {error.strerror}", "Free some room in /home (df -h /home), then start the machine again",
                    error.filename or paths.STATE)


def state(pool, data):
    """What is kept: the accepted pool.conf, the CA's certificate, an identity that was made by hand. OSError: the home is full."""
    os.chmod(paths.STATE, 0o755)
    for folder, mode in (("ssh", 0o700), *((("capture", 0o755),) if pool.capture else ())):
        path = f"{paths.STATE}/{folder}"
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
    if pool.ca_der:
        pem = ca_pem(pool.ca_der)
        if files.read(f"{paths.STATE}/ca.pem") != pem:
            files.write(f"{paths.STATE}/ca.pem", pem, 0o644, sync=True)
    take_identity(f"{paths.DISK}/{'manager' if pool.is_manager else 'machine'}", paths.STATE)
    accept.keep(data)


def take_identity(source, target):
    """Copies certificate and key, and a manager's CA, once. The key comes last: a power cut before it makes the next boot copy again."""
    if not os.path.isdir(source) or os.path.exists(f"{target}/node.key"):
        return
    import shutil
    shutil.rmtree(f"{target}/ca.new", ignore_errors=True)
    if os.path.isdir(f"{source}/ca"):
        shutil.copytree(f"{source}/ca", f"{target}/ca.new")
        _private(f"{target}/ca.new")
        shutil.rmtree(f"{target}/ca", ignore_errors=True)
        os.rename(f"{target}/ca.new", f"{target}/ca")
    for name, mode in (("node.pem", 0o644), ("node.key", 0o600)):
        if os.path.exists(f"{source}/{name}"):
            with open(f"{source}/{name}", "rb") as file:
                files.write(f"{target}/{name}", file.read(), mode, sync=True)


def _private(folder):
    for path, folders, names_ in os.walk(folder):
        os.chmod(path, 0o700)
        for name in names_:
            os.chmod(f"{path}/{name}", 0o600)
    os.sync()


def ca_pem(der):
    """RFC 7468."""
    import binascii
    text = binascii.b2a_base64(der, newline=False).decode()
    lines = [text[at:at + 64] for at in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])


def generate(pool, data):
    """Everything under /run/wow and /etc."""
    run = paths.RUN
    accounts(pool)
    os.chown(run, 0, users.GROUP_ID)
    os.chmod(run, 0o2755)
    asking.make(users.GROUP_ID)
    files.write(f"{run}/pool.conf", data, 0o600)
    files.write(f"{run}/pool.json", summary(pool))
    files.write(f"{run}/ipopd.conf", ipopd.config(pool), 0o600)
    files.write(f"{run}/sockets.nft", fence.sockets(pool))
    files.write(f"{run}/wire.nft", fence.wire(pool))
    files.write(f"{run}/policies", fence.policies(pool))
    files.write(f"{run}/dnsmasq.conf", dnsmasq.config(pool))
    files.write(f"{run}/upstream.conf", "")
    files.write(f"{run}/condor.map", condor.mapfile(pool))
    files.write("/etc/resolv.conf", dnsmasq.resolv_conf(pool))
    files.write("/etc/hosts", names.hosts())
    if pool.open:
        files.write(f"{run}/open", "This pool has no CA and no IPsec.\n")
    if pool.is_manager and not pool.open:
        files.write(f"{run}/serves-ca", "")


def summary(pool):
    """What the other tools need, without secrets. JSON by hand: the values were checked and hold nothing to escape."""
    facts = {"name": pool.name, "zone": pool.zone, "subnet": pool.subnet, "role": pool.role, "host": pool.host or "", "ca": pool.ca_name or ""}
    texts = [f'"{key}":"{value}"' for key, value in facts.items() if key != "ca"]
    flags = [f'"{key}":{"true" if value else "false"}' for key, value in (("open", pool.open), ("ticket", pool.ticket), ("capture", pool.capture))]
    return "{" + ",".join(texts + flags + [f'"port":{pool.port}']) + "}\n"


def accounts(pool):
    """Adds the accounts, and homes for people who have none yet."""
    try:
        kept = files.read(f"{paths.STATE}/users", "")
        people = {name: uid for name, uid in users.numbers(kept, pool.users).items()}
        text = "".join(f"{name} {uid}\n" for name, uid in people.items())
        if text != kept:
            files.write(f"{paths.STATE}/users", text, sync=True)
    except OSError as error:
        console.say_error(full(error))
        people = users.numbers("", pool.users)
    people = {name: people[name] for name in pool.users}
    passwd, group, shadow = (files.read(f"/etc/{name}", "") for name in ("passwd", "group", "shadow"))
    if f"\n{users.GROUP}:x:" not in group:
        passwd, group, shadow = users.add(passwd, group, shadow, people)
        files.write("/etc/passwd", passwd)
        files.write("/etc/group", group)
        status = os.stat("/etc/shadow")
        files.write("/etc/shadow", shadow, 0o640, (status.st_uid, status.st_gid))
    os.makedirs(f"{paths.RUN}/keys", exist_ok=True)
    for name, uid in people.items():
        if pool.users[name]:
            files.write(f"{paths.RUN}/keys/{name}", pool.users[name] + "\n")
        try:
            home(f"/home/{name}", uid)
        except OSError as error:
            console.say_error(full(error))


def home(path, uid, skeleton="/etc/skel"):
    """Makes a home as useradd -m does; one that is there stays as it is."""
    if os.path.isdir(path):
        return
    import shutil
    temporary = f"{path}.new"
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(skeleton, temporary) if os.path.isdir(skeleton) else os.mkdir(temporary)
    for folder, folders, names_ in os.walk(temporary):
        for name in (*folders, *names_):
            os.lchown(f"{folder}/{name}", uid, uid)
    os.chown(temporary, uid, uid)
    os.chmod(temporary, 0o700)
    os.rename(temporary, path)


if __name__ == "__main__":
    sys.exit(main())
