"""Foreign DHCP clients, each in the namespace of a node, with files of its own."""

import calendar
import pathlib
import re
import signal
import subprocess
import time

# A carrier that is away for less goes unnoticed.
CARRIER_PAUSE = 1.5
HERE = pathlib.Path(__file__).resolve().parent
SERVER = "10.128.255.254"
UDHCPC_SCRIPT = str(HERE / "udhcpc-script")

# Every client finds empty folders where it keeps its state, the same ones each time, and writes nothing to the machine's own.
PRIVATE = """
for folder in /run /var/lib/dhcp /var/lib/dhcpcd; do
    mkdir -p "$0$folder"; [ ! -d "$folder" ] || mount --bind "$0$folder" "$folder"
done
mount --bind /sys /sys && mount -o remount,bind,ro /sys
exec "$@"
"""


NAMES = ("Udhcpc", "Dhclient", "Dhcpcd", "Networkd")
# In the order in which a client is put through them.
MESSAGES = ("DISCOVER", "REQUEST", "renewing", "rebinding", "INIT-REBOOT", "RELEASE", "rapid commit", "NAK", "INFORM", "DECLINE")


def expiry(leases):
    """When the last lease of a dhclient.leases(5) file runs out, in seconds since 1970; 0 if there is none or it is half written."""
    ends = re.findall(r"^  expire \d (\d+/\d+/\d+ \d+:\d+:\d+);$", leases, re.MULTILINE)
    return calendar.timegm(time.strptime(ends[-1], "%Y/%m/%d %H:%M:%S")) if ends and leases.endswith("}\n") else 0


class Guest:
    """One client on one interface."""

    lease = 10
    # What the program does not do, of MESSAGES; docs/operating.md says why.
    lacks = frozenset()
    # Whether a signal may be lost that it gets in the middle of something.
    loses_signals = False

    def __init__(self, node, interface="wow0"):
        self.node = node
        self.interface = interface
        self.folder = node.folder / type(self).__name__
        self.folder.mkdir(exist_ok=True)
        self.log = self.folder / "log"
        self._process = None

    def command(self):
        """The client's command line, in the foreground."""
        raise NotImplementedError

    def start(self):
        """Starts the client."""
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(self._private(*self.command()), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def runs(self):
        """Whether the client does."""
        return self._process is not None and self._process.poll() is None

    def kill(self):
        """The machine loses power."""
        self._end(signal.SIGKILL)

    def reboot(self):
        """Lets the client ask for the address that it remembers."""
        self.kill()
        self.start()

    def release(self):
        """Makes the client give its address back, where it can be told to."""

    def renew(self):
        """Makes the client renew before its time, where it can be told to."""

    def inform(self):
        """Asks for configuration only, where the client can."""

    def remembers(self):
        """How many seconds the lease that the client remembers still runs; 0 or less: it has run out. A client without a file renews what it has."""
        return self.lease

    def tail(self):
        """The log's last lines."""
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-12:] if self.log.exists() else []

    def _private(self, *command):
        return self.node.inside("unshare", "-m", "sh", "-c", PRIVATE, str(self.folder), *command)

    def _tell(self, *command):
        subprocess.run(self._private(*command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240, check=False)

    def _end(self, how):
        if self.runs():
            self._process.send_signal(how)
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Udhcpc(Guest):
    """BusyBox. What it asks for by -r it asks for in a DISCOVER."""

    # Seconds until it asks again.
    pause = 1
    lacks = frozenset(("rapid commit", "INIT-REBOOT", "INFORM"))

    def command(self):
        return ["udhcpc", "-f", "-i", self.interface, "-s", UDHCPC_SCRIPT, "-x", f"lease:{self.lease}", "-t", "20", "-T", str(self.pause), "-a500"]

    def renew(self):
        self._process.send_signal(signal.SIGUSR1)

    def release(self):
        self._process.send_signal(signal.SIGUSR2)


class Dhclient(Guest):
    """ISC. Whether somebody else uses the address its script has to look, and to say by its exit code."""

    lacks = frozenset(("rapid commit", "INFORM"))

    def _files(self):
        config = self.folder / "conf"
        config.write_text(
            f"send dhcp-lease-time {self.lease};\ninitial-interval 1;\nbackoff-cutoff 2;\nreboot 3;\nretry 2;\nsend dhcp-client-identifier = hardware;\n"
            "request subnet-mask, domain-name, domain-search, host-name, interface-mtu;\n", encoding="ascii")
        return ["-4", "-cf", str(config), "-lf", str(self.folder / "leases"), "-pf", str(self.folder / "pid"), "-sf", str(HERE / "dhclient-script")]

    def command(self):
        return ["dhclient", "-d", *self._files(), self.interface]

    def remembers(self):
        # dhclient writes a lease only 15 s or more after it wrote the last one (MIN_LEASE_WRITE): with leases of 10 s not each renewal is in the file.
        leases = self.folder / "leases"
        return expiry(leases.read_text(encoding="ascii") if leases.exists() else "") - time.time()

    def release(self):
        self._tell("dhclient", "-r", *self._files(), self.interface)


class Dhcpcd(Guest):
    """Roy Marples'. It takes no lease below 20 s."""

    lease = 20
    rapid = False
    # While its main process waits for the one that is root, it takes signals and does nothing (9.4.1, src/privsep-root.c, ps_root_readerror).
    loses_signals = True

    def command(self):
        config = self.folder / "conf"
        rapid = "option rapid_commit\n" if self.rapid else ""
        config.write_text(f"clientid\n{rapid}option domain_name, domain_search, interface_mtu, host_name, classless_static_routes\n", encoding="ascii")
        return ["dhcpcd", "-4", "-B", "-d", "-f", str(config), "-l", str(self.lease), "-c", "/bin/true", self.interface]

    def renew(self):
        self._process.send_signal(signal.SIGUSR1)

    def release(self):
        self._process.send_signal(signal.SIGALRM)

    def remembers(self):
        # The file is the ACK as it came; its age is the lease's.
        lease = self.folder / f"var/lib/dhcpcd/{self.interface}.lease"
        return lease.stat().st_mtime + self.lease - time.time() if lease.exists() else 0

    def inform(self):
        address = self.node.address
        self._tell("timeout", "8", "dhcpcd", "-4", "-B", "-d", "-A", "-f", str(self.folder / "conf"), "-c", "/bin/true", "-s", f"{address}/16", self.interface)


class Networkd(Guest):
    """
    systemd's, without a bus, so nobody can tell it anything: the lease it asks for is an option by hand. Version 252 keeps no lease over a restart, but asks
    for its last address when the carrier comes back. Of the DECLINE that it would send (SendDecline=yes) it says "Network is unreachable", whatever routes
    there are.
    """

    lease = 10
    lacks = frozenset(("rapid commit", "INFORM", "DECLINE"))

    def command(self):
        config = self.folder / "run/systemd/network/10-wow.network"
        config.parent.mkdir(parents=True, exist_ok=True)
        for name in ("links", "leases", "lldp"):
            (self.folder / "run/systemd/netif" / name).mkdir(parents=True, exist_ok=True)
        config.write_text(
            f"[Match]\nName={self.interface}\n[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\nIgnoreCarrierLoss=no\nConfigureWithoutCarrier=no\n"
            f"[DHCPv4]\nClientIdentifier=mac\nSendRelease=yes\nSendOption=51:uint32:{self.lease}\nUseMTU=yes\nUseDomains=yes\n", encoding="ascii")
        subprocess.run(["chown", "-R", "systemd-network", str(self.folder / "run/systemd")], check=True)
        return ["env", "SYSTEMD_LOG_LEVEL=debug", "SYSTEMD_LOG_TARGET=console", "/lib/systemd/systemd-networkd"]

    def release(self):
        self._end(signal.SIGTERM)

    def reboot(self):
        for state in ("off", "on"):
            self.node.run("ip", "link", "set", "dev", self.interface, "carrier", state)
            time.sleep(CARRIER_PAUSE)
