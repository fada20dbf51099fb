"""Foreign programs that use the virtual network: Debian's udhcpc, dig and ping."""

import pathlib
import re

SCRIPT = str(pathlib.Path(__file__).resolve().parent / "udhcpc-script")


def lease(node, tries=120):
    """Asks for an address as any machine would and sets it; returns what DHCP said."""
    ended = node.run("udhcpc", "-f", "-q", "-n", "-i", "wow0", "-s", SCRIPT, "-t", str(tries), "-T", "1", "-O", "mtu")
    said = dict(line.split("=", 1) for line in ended.stdout.splitlines() if re.match(r"^(ip|subnet|mtu|domain|hostname|lease|serverid)=", line))
    if "ip" not in said:
        raise AssertionError(f"{node.name}: no lease: {ended.stdout}")
    return said


def ping(node, address, count=1, interval=1.0, size=56, patience=15):
    """Pings without fragmentation; returns how many answers came."""
    ended = node.run(
        "ping", "-n", "-M", "do", "-c", str(count), "-i", str(interval), "-s", str(size), "-W", str(patience), address,
        check=False, timeout=2 * count * interval + patience + 240)
    found = re.search(r"(\d+) received", ended.stdout)
    return int(found.group(1)) if found else 0


def dig(node, *question):
    """Asks ipopd's DNS; returns the status and the answers' data."""
    text = node.run("dig", "@127.0.0.54", "-p", "5354", "+tries=1", "+time=30", *question).stdout
    status = re.search(r"status: (\w+)", text)
    section = re.search(r";; ANSWER SECTION:\n(.*?)\n\n", text, re.S)
    answers = [line.split(None, 4)[4] for line in section.group(1).splitlines()] if section else []
    return (status.group(1) if status else f"no reply: {text}"), answers
