"""What honest hosts of the LAN have: addresses, packets both ways, names, neighbours."""

import json
import re
import subprocess

from clients import lease, ping
from office import BEYOND, CLIENTS, LEADER, SERVER
from tally import must
from waiting import until


def run(tally, office):
    """From the first address to streams of data."""
    router, far, hosts = office.nodes["office"], office.nodes["far"], office.hosts
    with tally.case(f"{', '.join(CLIENTS.values())}: each host gets an address of its own, and so does the machine that serves them"):
        lease(far)
        lease(router_bridge(router))
        for name in CLIENTS:
            office.client(name)
        addresses = {name: office.binds(hosts[name]) for name in CLIENTS}
        everybody = [*addresses.values(), router.address, far.address]
        must(len(set(everybody)) == 5, f"addresses: {everybody}")
        until(lambda: router.address, lambda address: address is not None and address not in addresses.values(), "the machine's own address")
    with tally.case("classless routes: a client that asks for them (dhcpcd) routes a network beyond the LAN to the machine that leads there"):
        until(lambda: hosts["cat"].run("ip", "route", "show", BEYOND).stdout, lambda seen: f"via {LEADER}" in seen, "the route")
    with tally.case("ping: every host and the far machine, both ways"):
        for host in hosts.values():
            must(ping(host, far.address, count=2, interval=0.2) >= 1, f"{host.name} to far")
            must(ping(far, host.address, count=2, interval=0.2) == 2, f"far to {host.name}")
        must(ping(far, router.address, count=2, interval=0.2) == 2, "far to the router itself")
    with tally.case("the hosts reach each other and the router by the bridge, not through ipopd"):
        for source in hosts.values():
            for target in hosts.values():
                if source is not target:
                    must(ping(source, target.address) == 1, f"{source.name} to {target.name}")
                    must(target.mac in source.run("ip", "neighbour", "show", target.address).stdout, f"{source.name} sends elsewhere than to {target.name}")
            must(ping(source, router.address) == 1, f"{source.name} to the router")
        must(dropped(router, "same_lan") == 0, "ipopd saw packets between neighbours")
    with tally.case("TCP: iperf3 from a host to the far machine and back, whole packets joined for the right host"):
        rates = iperf(hosts["ant"], far)
        print(f"figure: TCP of a host behind a router: {rates[0]:.0f} Mb/s out, {rates[1]:.0f} Mb/s in")
        must(min(rates) > 1, f"{rates}")
    with tally.case("names: a host asks the DHCP server's address for the far machine, and the far machine's ipopd knows the host's"):
        dashed = far.address.replace(".", "-") + ".lan.internal"
        must(dig(hosts["cat"], SERVER, dashed, "A") == [far.address], f"{dashed}: {dig(hosts['cat'], SERVER, dashed, 'A')}")
        must(dig(hosts["bee"], SERVER, "far.lan.internal", "A") == [far.address], "far.lan.internal")
        must(dig(hosts["bee"], SERVER, "lan.internal", "NS") == ["ipopd.lan.internal."], "NS of the zone")
        must(dig(hosts["bee"], SERVER, "ipopd.lan.internal", "A") == [SERVER], "the server's own name")
        dashed = hosts["ant"].address.replace(".", "-") + ".lan.internal"
        until(lambda: dig(far, "127.0.0.54", dashed, "A", "-p", "5354"), lambda found: found == [hosts["ant"].address], dashed)
    with tally.case("DHCP tells the name server; the metrics count the hosts"):
        nameservers = (hosts["ant"].client.folder / "leases").read_text(encoding="ascii")
        must("interface-mtu 1280" in nameservers and f"dhcp-server-identifier {SERVER}" in nameservers, nameservers)
        text = router.ask("metrics")["text"]
        must("\nwow_lan_hosts 3\n" in text, text)


def router_bridge(router):
    """The router as `lease` wants a machine: its interface is the bridge."""
    class Bridge:
        """Runs what is meant for wow0 on br0."""
        name = router.name

        @staticmethod
        def run(*command, **options):
            """Runs a program beside the daemon."""
            return router.run(*("br0" if word == "wow0" else word for word in command), **options)
    return Bridge


def dropped(node, reason):
    """How much was dropped for a reason."""
    return int(re.search(rf'wow_dropped_packets_total{{reason="{reason}"}} (\d+)', node.ask("metrics")["text"]).group(1))


def dig(asker, server, *question):
    """The answers of a name server."""
    return asker.run("dig", f"@{server}", "+short", "+tries=2", "+time=30", *question, check=False).stdout.split()


def iperf(host, far):
    """Mb/s from the host to the far machine and back."""
    server = subprocess.Popen(far.inside("iperf3", "-s", "-p", "5201"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: far.run("ss", "-Hltn", "sport", "=", ":5201").stdout, lambda seen: seen, "iperf3 listens")
        rates = []
        for how in ([], ["-R"]):
            ended = json.loads(host.run("iperf3", "-c", far.address, "-p", "5201", "-t", "3", "-J", *how).stdout)
            rates.append(ended["end"]["sum_received"]["bits_per_second"] / 1e6)
        return rates
    finally:
        server.kill()
        server.wait()
