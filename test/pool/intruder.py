"""What a job tries that it may not: runs as a job, on its machine's own Python, and prints one JSON object of what it reached.

usage: intruder.py PLACE ...      where to go beside what it finds itself: ADDRESS:PORT to connect to, udp/ADDRESS:PORT to send a datagram to, which may answer,
                                  icmp/ADDRESS to call by an echo, dns/ADDRESS to ask for a name of the world; an address of IPv6 may stand for each
"""

import concurrent.futures
import ctypes
import fcntl
import glob
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys

SOON = 10.0
"""Seconds in which whoever is reached answers, however busy the machine is. All places are tried at the same time."""
CLONE_NEWUSER = 0x10000000
KEY, NAME, READ_WRITE = 0x574f57, "/wow-neighbour", 2
"""What neighbour.py in another slot has made, and O_RDWR."""
OWN_KEY, CREATE = 0x574f58, 0o1000
TUNSETIFF, QUEUE = 0x400454ca, 0x1102
"""Asks for a queue of a tap that has several, with frames alone (linux/if_tun.h)."""
MANY = 3000


def tcp(host, port):
    """Whether a listener accepts a connection."""
    try:
        with socket.create_connection((host, int(port)), SOON):
            return "open"
    except OSError as error:
        return type(error).__name__


def udp(host, port):
    """Whether a datagram is answered."""
    return asked(host, int(port), socket.IPPROTO_UDP, b"from another slot")


def icmp(host):
    """Whether an echo is answered (RFC 792, RFC 4443); the kernel fills in number and sum."""
    kind, protocol = (128, socket.IPPROTO_ICMPV6) if ":" in host else (8, socket.IPPROTO_ICMP)
    return asked(host, 0, protocol, bytes([kind]) + bytes(7))


def asked(host, port, protocol, data):
    """Whether anything comes back from there."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM, protocol) as asker:
            asker.settimeout(SOON)
            asker.sendto(data, socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0][4])
            return "answered" if asker.recv(4096) else "no answer"
    except OSError as error:
        return type(error).__name__


def reach(place):
    """What becomes of going to a place of the command line."""
    kind, _, where = place.rpartition("/")
    if kind == "dns":
        return asks(where, "world.example")
    return icmp(where) if kind == "icmp" else (udp if kind == "udp" else tcp)(*where.rsplit(":", 1))


def shared():
    """What another slot made for all programs of its machine, and this one can open."""
    libc = ctypes.CDLL(None)
    found = {"System V shared memory": libc.shmget(KEY, ctypes.c_size_t(0), 0), "System V semaphore": libc.semget(KEY, 0, 0), "System V queue": libc.msgget(KEY, 0),
             "POSIX queue": libc.mq_open(NAME.encode(), READ_WRITE), "POSIX shared memory": libc.shm_open(NAME.encode(), READ_WRITE, 0)}
    return [what for what, number in found.items() if number >= 0] + [name for name in os.listdir("/dev/shm") if "neighbour" in name]


def own_shared():
    """Whether the job has shared memory of its own, which its processes may need."""
    libc = ctypes.CDLL(None)
    return libc.shmget(OWN_KEY, ctypes.c_size_t(4096), CREATE | 0o600) >= 0 and libc.shmget(OWN_KEY, ctypes.c_size_t(0), 0) >= 0


def own(host):
    """Whether the job reaches what it listens on itself."""
    with socket.socket() as listener:
        listener.bind((host, 0))
        listener.listen()
        return tcp(host, listener.getsockname()[1])


def names(*wanted):
    """The addresses of names, or what the resolver says instead."""
    found = {}
    for name in wanted:
        try:
            found[name] = socket.gethostbyname(name)
        except OSError as error:
            found[name] = type(error).__name__
    return found


def asks(address, name):
    """Whether a DNS server gives an address for a name, asked past the resolver (RFC 1035 section 4)."""
    query = b"\x57\x4f\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(SOON)
        try:
            asker.sendto(query, (address, 53))
            return "answered" if int.from_bytes(asker.recv(4096)[6:8], "big") else "no address"
        except OSError as error:
            return type(error).__name__


def abstract():
    """Unix sockets without a file that take a connection from the job."""
    with open("/proc/net/unix", encoding="ascii", errors="replace") as table:
        found = {line.split()[7] for line in table if len(line.split()) == 8 and line.split()[7].startswith("@")}
    return [name for name in sorted(found) if takes("\0" + name[1:], socket.SOCK_STREAM)]


def filed():
    """Unix sockets with a file that take a connection from the job, or could have a datagram from it."""
    reached = []
    for folder, _, found in os.walk("/run"):
        for path in (f"{folder}/{name}" for name in found):
            if stat.S_ISSOCK(os.lstat(path).st_mode) and any(takes(path, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)):
                reached.append(path)
    return reached


def takes(path, kind):
    """Whether the job connects to a Unix socket."""
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.settimeout(SOON)
        try:
            client.connect(path)
        except OSError:
            return False
    return True


def processes():
    """What the job sees run that is not its own account's."""
    seen = []
    for place in glob.glob("/proc/[0-9]*"):
        try:
            if os.stat(place).st_uid != os.getuid():
                with open(f"{place}/comm", encoding="ascii") as file:
                    seen.append(file.read().strip())
        except OSError:
            pass
    return sorted(set(seen))


def files():
    """Folders of other people, other slots and the machine that the job can list or read."""
    here = os.path.realpath(os.environ["_CONDOR_SCRATCH_DIR"])
    places = [*glob.glob("/home/*"), *glob.glob("/var/lib/wow/execute/*"), "/var/lib/wow/node.key", "/run/wow/pool.conf", "/run/wow/ipopd.conf",
              "/var/lib/condor/spool/job_queue.log", *glob.glob("/var/lib/condor/spool/[0-9]*/*")]
    return [place for place in places if os.path.realpath(place) != here and os.access(place, os.R_OK)]


def writable():
    """Folders that the job can write to beside its own."""
    own = ("/tmp", "/var/tmp", "/dev/shm", os.path.realpath(os.environ["_CONDOR_SCRATCH_DIR"]))
    found = []
    for top in ("/dev", "/etc", "/home", "/run", "/usr", "/var"):
        for folder, names, _ in os.walk(top):
            if folder in own:
                names.clear()
            elif os.access(folder, os.W_OK):
                found.append(folder)
    return found


def user_namespace():
    """Whether the job makes a user namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if not child:
        os._exit(0 if libc.unshare(CLONE_NEWUSER) == 0 else 1)
    return "made" if os.waitpid(child, 0)[1] == 0 else "refused"


def tap():
    """Whether the job attaches to its machine's tap, as ipopd does, and so is the overlay for it."""
    try:
        with open("/dev/net/tun", "r+b", buffering=0) as device:
            fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"wow0", QUEUE))
    except OSError as error:
        return type(error).__name__
    return "attached"


def control_group():
    """Whether the job makes a control group below its own, which HTCondor gives to its account."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        own = next(line.strip().partition("::")[2] for line in file if line.startswith("0::"))
    try:
        os.mkdir(f"/sys/fs/cgroup{own}/below")
    except OSError as error:
        return type(error).__name__
    return "made"


def privileges():
    """Whether a set-uid program could give the job another account."""
    with open("/proc/self/status", encoding="ascii") as file:
        return "none" if "NoNewPrivs:\t1" in file.read() else "by set-uid programs"


def forks():
    """How many processes the job can have, no more than MANY."""
    children = []
    try:
        while len(children) < MANY:
            # A copy of this program takes a MB of the job's memory.
            children.append(os.posix_spawn("/usr/bin/sleep", ["sleep", "60"], {}))
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
    for child in children:
        os.waitpid(child, 0)
    return len(children)


def tool(*command, **settings):
    """The end of what one of HTCondor's tools says, with settings of its configuration changed, or how it ended."""
    environment = {**os.environ, "PATH": "/usr/bin:/usr/sbin", **{f"_CONDOR_{key}": value for key, value in settings.items()}}
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "no answer"
    return f"{done.returncode}: {done.stdout[-600:]}"


def submit():
    """What becomes of a job of its own that the job puts into its machine's queue, which would outlive it outside of any slot."""
    with open("more.sub", "w", encoding="ascii") as file:
        file.write("executable = /usr/bin/true\nuniverse = scheduler\nqueue\n")
    return tool("condor_submit", "more.sub", SEC_CLIENT_AUTHENTICATION_METHODS="FS, CLAIMTOBE")


def main(arguments):
    """Prints what was reached."""
    with concurrent.futures.ThreadPoolExecutor(len(arguments)) as tries:
        reached = dict(zip(arguments, tries.map(reach, arguments)))
    address = socket.gethostbyname(socket.gethostname())
    zone = socket.getfqdn().partition(".")[2]
    # Before all else: the kernel's memory for each folder and file that was looked at is the job's, too.
    most = forks()
    print(json.dumps({
        "account": os.getuid(), "forks": most, "places": reached, "shared": shared(), "own shared": own_shared(),
        "own loopback": own("127.0.0.1"), "own address": own(address),
        "names": names(f"manager.{zone}", "world.example"), "asked past the resolver": asks("127.0.0.1", "world.example"), "abstract": abstract(), "filed": filed(),
        "processes": processes(), "files": files(), "writable": writable(), "user namespace": user_namespace(), "control group": control_group(),
        "tap": tap(), "privileges": privileges(), "submit": submit(),
        "queue read": tool("condor_q", "-all", "-name", f"alpha.{zone}", "-af", "Args", "Environment")}))


if __name__ == "__main__":
    main(sys.argv[1:])
