"""What a killed and an upgraded ipopd keeps where systemd runs it: its unit as the image has it, under a real systemd."""

from carrying import Pair, talk
from service import Service
from streams import streams
from tally import must
from waiting import until

WAYS = {
    "upgraded": ("restart", "ipopd.service"),
    "killed": ("kill", "--signal=KILL", "--kill-whom=main", "ipopd.service"),
}


def tap(node):
    """Which interface it is, how often its carrier came or went, and its addresses."""
    number, changes = node.run("cat", "/sys/class/net/wow0/ifindex", "/sys/class/net/wow0/carrier_changes").stdout.split()
    return number, changes, node.run("ip", "-4", "-o", "address", "show", "dev", "wow0").stdout


def main_process(node):
    """Number of the daemon's process in systemd's namespace, 0 while there is none."""
    return int(node.systemctl("show", "--property=MainPID", "--value", "ipopd.service"))


def run(tally, program):
    """Both ways."""
    with Pair(program, 1500, right=Service) as pair:
        service = pair.right
        talk(pair)
        for word, command in WAYS.items():
            with tally.case(f"ipopd {word} under systemd keeps tap, carrier, address and TCP streams, by systemd's descriptor store"):
                must(int(service.systemctl("show", "--property=NFileDescriptorStore", "--value", "ipopd.service")) > 0, "systemd keeps no descriptor")
                before, address, process = tap(service), service.address, main_process(service)

                def again(command=command, process=process):
                    service.systemctl(*command)
                    until(lambda: main_process(service), lambda now: now not in (0, process), "systemd starts another ipopd")
                    until(service.answers, lambda answers: answers, "the control socket answers")

                streams(pair.left, service, again)
                must(tap(service) == before, f"{before} became {tap(service)}")
                must(service.address == address, f"{service.address} instead of {address}")
