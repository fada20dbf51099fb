"""Wrong configurations and lacking devices: the message names the file, the key and what to do; nothing starts."""

import subprocess

from shell import run as run_program
from tally import must

WRONG = {
    "an unknown section": ({"nodes": {"x": "1"}}, "section [nodes] is unknown; use node, pool"),
    "an unknown key": ({"pool": {"subnett": "1"}}, "[pool] subnett is unknown; [pool] has name, subnet"),
    "a missing key": ({"node": {"state": ""}}, "[node] state is missing; add it"),
    "a wrong subnet": ({"pool": {"subnet": "10.128.0.1/16"}}, "[pool] subnet = 10.128.0.1/16 is not an IPv4 prefix"),
    "a short secret": ({"pool": {"secret": "abc"}}, "[pool] secret is not 64 hexadecimal digits"),
    "a wrong bootstrap": ({"pool": {"bootstrap": "tcp:a:1"}}, "[pool] bootstrap = tcp:a:1 is not udp:HOST:PORT"),
    "a wrong port": ({"udp": {"port": "70000"}}, "[udp] port = 70000 is not a number from 0 to 65535"),
    "a wrong name for the tap": ({"tap": {"name": "a/b"}}, "[tap] name = a/b is no name for an interface"),
    "metrics for everybody": ({"metrics": {"listen": "0.0.0.0:9433"}}, "[metrics] listen = 0.0.0.0:9433 is not a loopback address"),
    "no CA certificate": ({"pool": {"open": "no"}}, "ca.pem is missing; put the pool's CA certificate there"),
    "a path for the socket that is too long": ({"control": {"socket": f"/tmp/{'x' * 99}"}}, "is longer than the 103 bytes that the path of a control socket may have"),
    "no folder for the socket": ({"control": {"socket": "/nonexistent/x"}}, "[control] socket = /nonexistent/x can't be used"),
}


def run(tally, world):
    """Each wrong configuration by itself."""
    world.topology.namespace("bad")
    for what, (changes, expected) in WRONG.items():
        with tally.case(f"{what} is told"):
            node = world.add(f"bad{list(WRONG).index(what)}")
            node.name = "bad"
            for section, keys in changes.items():
                node.options.setdefault(section, {}).update(keys)
            refused(world, node, 2, expected, names_file=True)

    with tally.case("a second ipopd on one state folder is refused"):
        twin = world.add("twin")
        twin.name = "bad"
        twin.options["node"]["state"] = world.one.options["node"]["state"]
        refused(world, twin, 2, "is in use by another ipopd; stop that one or give this one a folder of its own")

    with tally.case("a second ipopd on one tap is refused"):
        rival = world.add("rival")
        rival.name = "one"
        rival.options["udp"] = {"port": "0"}
        rival.options["dns"] = {}
        refused(world, rival, 1, "tap wow0 is in use by another process")

    with tally.case("a UDP port that is taken is told"):
        rival = world.add("port")
        rival.name = "one"
        refused(world, rival, 2, "[udp] port = 4433: UDP port 4433 can't be used", names_file=True)

    with tally.case("/dev/net/tun missing: the message says how to get it"):
        node = world.add("tunless")
        node.name = "bad"
        hide = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"]
        refused(world, node, 1, "/dev/net/tun is missing; load the driver with `modprobe tun`", hide=hide)


def refused(world, node, code, expected, names_file=False, hide=()):
    """ipopd ends at once with this code and these words."""
    node.write()
    try:
        ended = run_program(*node.inside(*hide, world.program, "--config", str(node.config)), check=False)
    except subprocess.TimeoutExpired:
        raise AssertionError("ipopd went on running") from None
    must(ended.returncode == code and expected in ended.stdout, f"exit {ended.returncode}: {ended.stdout.strip()}")
    must(not names_file or str(node.folder) in ended.stdout, f"the file is not named: {ended.stdout.strip()}")
