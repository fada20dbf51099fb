"""What a killed and an upgraded ipopd keeps where systemd runs it: its unit as the image has it, under a real systemd."""

from carrying import Pair, talk
from clients import lease, ping
from service import Service
from streams import streams
from tally import must
from waiting import until

WAYS = {
    "upgraded": ("restart", "ipopd.service"),
    "killed": ("kill", "--signal=KILL", "--kill-whom=main", "ipopd.service"),
}
# Of the tap, each a descriptor that systemd keeps (TapDevice.MaxQueues).
QUEUES = 8


def tap(node):
    """Which interface it is, how often its carrier came or went, and its addresses."""
    number, changes = node.run("cat", "/sys/class/net/wow0/ifindex", "/sys/class/net/wow0/carrier_changes").stdout.split()
    return number, changes, node.run("ip", "-4", "-o", "address", "show", "dev", "wow0").stdout


def main_process(node):
    """Number of the daemon's process in systemd's namespace, 0 while there is none."""
    return int(node.systemctl("show", "--property=MainPID", "--value", "ipopd.service"))


def carrier(node):
    """Whether the tap is plugged."""
    return node.run("cat", "/sys/class/net/wow0/carrier").stdout.strip() == "1"


class Offline(Pair):
    """The right one is there before anybody whom it could join."""

    def _begin(self):
        self.line.build(1500)
        self.right.start(self.bootstrap)

    def meet(self):
        """Now it can."""
        self.left.start()
        until(self.right.status, lambda status: status["ring"]["joined"], f"{self.right.name} joins")


class Single(Pair):
    """The right one's tap was there before, made for one queue, as an older fence made it."""

    def _begin(self):
        self.line.build(1500)
        self.line.ip("right", "tuntap", "add", "wow0", "mode", "tap")
        self.join(self.left)
        self.join(self.right, self.bootstrap)


def again(service, happens):
    """Something happens by which systemd starts another ipopd."""
    process = main_process(service)
    happens()
    until(lambda: main_process(service), lambda now: now not in (0, process), "systemd starts another ipopd")
    until(service.answers, lambda answers: answers, "the control socket answers")


def run(tally, program):
    """All of it."""
    kept(tally, program)
    offline(tally, program)
    single(tally, program)


def single(tally, program):
    """What an older release left in a machine that runs on."""
    with tally.case("a tap that was made for one queue still works, and ipopd's log says that it has one"):
        with Single(program, 1500) as pair:
            must(ping(pair.left, pair.right.address, count=3, interval=0.1) > 0, "no ping comes back")
            must(f"tap wow0 has 1 of {QUEUES} queues" in pair.right.log.read_text(encoding="utf-8"), "the log does not say it")
            must("queues" not in pair.left.log.read_text(encoding="utf-8"), "the log says it of a tap with all queues")


def offline(tally, program):
    """What was not on the ring yet."""
    with Offline(program, 1500, right=Service) as pair:
        service = pair.right
        with tally.case("ipopd that is restarted before it reached the ring holds the carrier back still, and gives it on the ring"):
            must(not carrier(service), "there is carrier before the ring was reached")
            number = tap(service)[0]
            again(service, lambda: service.systemctl(*WAYS["upgraded"]))
            must(tap(service)[0] == number, "the tap is another")
            must(not carrier(service), "there is carrier after the restart, and no ring")
            pair.meet()
            until(lambda: carrier(service), bool, "the tap has carrier")
            lease(service)


def kept(tally, program):
    """Both ways, and once more when all that systemd kept has died."""
    with Pair(program, 1500, right=Service) as pair:
        service = pair.right
        talk(pair)
        for word, command in WAYS.items():
            with tally.case(f"ipopd {word} under systemd keeps tap, carrier, address and TCP streams, by systemd's descriptor store"):
                keeps(pair, command)
        with tally.case("ipopd whose tap was deleted once keeps the next one as well"):
            number = tap(service)[0]
            again(service, lambda: service.run("ip", "link", "delete", "wow0"))
            lease(service)
            must(tap(service)[0] != number, "the tap is the one that was deleted")
            keeps(pair, WAYS["upgraded"])
            must("Cannot store more fds" not in (service.folder / "systemd").read_text(encoding="utf-8"), "systemd's store was too small")


def keeps(pair, command):
    """What stays when systemd starts another ipopd."""
    service = pair.right
    kept = int(service.systemctl("show", "--property=NFileDescriptorStore", "--value", "ipopd.service"))
    must(kept == QUEUES, f"systemd keeps {kept} descriptors")
    before, address = tap(service), service.address
    streams(pair.left, service, lambda: again(service, lambda: service.systemctl(*command)))
    must(tap(service) == before, f"{before} became {tap(service)}")
    must(service.address == address, f"{service.address} instead of {address}")
