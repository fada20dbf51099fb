"""What lasts, what ends, and what does not pass."""

import subprocess

from clients import ping
from office import BOOTSTRAP, VERB
from serving import dropped
from streams import streams
from tally import must
from waiting import until


def run(tally, office):
    """Restarts, cheats, releases."""
    router, far, hosts = office.nodes["office"], office.nodes["far"], office.hosts
    with tally.case("ipopd killed and started again: addresses stay and streams go on"):
        before = office.served()
        streams(hosts["cat"], far, lambda: (router.kill(), router.start(BOOTSTRAP)))
        until(office.served, lambda served: served == before, "the same addresses as before")
    with tally.case("a host that lost power asks for the same address and has it"):
        address = hosts["ant"].address
        hosts["ant"].client.kill()
        hosts["ant"].run("ip", "address", "flush", "dev", "eth0")
        office.client("ant")
        must(office.binds(hosts["ant"]) == address, f"{hosts['ant'].address} instead of {address}")
        must(ping(far, address, count=2, interval=0.2) >= 1, "far to ant")
    with tally.case("cheats: what a host sends from a neighbour's address, or from one of its own making, does not leave the LAN"):
        for false in (hosts["bee"].address, "10.128.99.99"):
            cheat(router, far, hosts["cat"], false)
    with tally.case("wow status shows who is served"):
        text = router.run(str(VERB), "status", "--socket", str(router.socket)).stdout
        must("serves a LAN: 3 of 250 hosts have an address" in text and f"{hosts['bee'].address} {hosts['bee'].mac}" in text, text)
    with tally.case("a host that gives its address back: it is free, and nobody answers for it"):
        address = hosts["bee"].address
        hosts["bee"].client.release()
        gone(office, far, hosts["bee"], address)
        hosts["bee"].client.kill()
    with tally.case("a host that goes without a word: its address is free when its lease has ended and it does not answer"):
        address = hosts["ant"].address
        hosts["ant"].client.kill()
        office.topology.ip("ant", "link", "set", "eth0", "down")
        gone(office, far, hosts["ant"], address)
    with tally.case("in a pool with a CA router mode is refused, with what to do"):
        text = router.config.read_text(encoding="utf-8").replace("open = yes", "open = no")
        config = router.folder / "closed.conf"
        config.write_text(text, encoding="utf-8")
        ended = subprocess.run([office.program, "--config", str(config)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=240)
        must(ended.returncode == 2 and "[router] lan = yes needs [pool] open = yes" in ended.stdout, f"{ended.returncode}: {ended.stdout}")


def cheat(router, far, host, false):
    """Pings from an address that is not the host's: nothing may come back, and the drop is counted."""
    before = dropped(router, "not_our_source")
    neighbour = ("neighbour", "replace", far.address, "lladdr", "02:57:4f:57:00:01", "dev", "eth0")
    host.run("ip", *neighbour)
    host.run("ip", "address", "add", f"{false}/32", "dev", "eth0")
    try:
        ended = host.run("ping", "-n", "-c", "2", "-i", "0.3", "-W", "1", "-I", false, far.address, check=False)
        must(" 0 received" in ended.stdout, ended.stdout)
        must(dropped(router, "not_our_source") >= before + 2, "the drops are not counted")
    finally:
        host.run("ip", "address", "delete", f"{false}/32", "dev", "eth0")
        host.run("ip", "neighbour", "delete", far.address, "dev", "eth0", check=False)


def gone(office, far, host, address):
    """Waits until the router has given an address back and the DHT knows nobody who owns it."""
    until(office.served, lambda served: address not in served.values() and host.mac not in served, f"{address} is given back", pause=0.5)
    answer, _ = until(lambda: far.ask("ping", target=address), lambda answer: not answer["ok"], f"nobody owns {address}", pause=0.5)
    must("nobody in the pool has the address" in answer["error"], f"{answer}")
