"""The guest's dnsmasq, with the configuration that the image generates, between ipopd and a resolver of the machine's own network."""

import pathlib
import subprocess
import tempfile
from types import SimpleNamespace

from asking import DNSMASQ, listeners
from wow.setup import dnsmasq as generated
from tally import must
from waiting import until

UPSTREAM, ABROAD = "127.0.0.53", "203.0.113.7"
QUICK = ("+tries=1", "+time=2")


def run(tally, pool):
    """With the overlay, and without it."""
    node = pool.nodes["boot"]
    with tempfile.TemporaryDirectory(prefix="wow-names-") as folder:
        # dnsmasq reads it as a user of its own.
        pathlib.Path(folder).chmod(0o755)
        running = [subprocess.Popen(node.inside(*DNSMASQ, *options), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for options in (
            ("--conf-file=/dev/null", "--no-resolv", "--no-hosts", f"--listen-address={UPSTREAM}", "--bind-interfaces", f"--address=/example.org/{ABROAD}", "--pid-file="),
            (f"--conf-file={configuration(pathlib.Path(folder))}",))]
        try:
            until(lambda: listeners(node, "53"), lambda seen: len(seen.splitlines()) >= 2, "both listen")
            with tally.case("the guest's dnsmasq: the pool's names both ways from ipopd, all others from the network's resolver"):
                must(ask(node, "boot.dhcp.internal") == node.address, "forward")
                must(ask(node, "-x", node.address) == "boot.dhcp.internal.", "reverse")
                must(ask(node, "example.org") == ABROAD, "another name")
            with tally.case("ipopd dead: ordinary names are answered as before, and the pool's are not answered wrongly"):
                node.kill()
                for name in ("example.org", "www.example.org"):
                    must(ask(node, name) == ABROAD, name)
                said = node.run("dig", "@127.0.0.1", *QUICK, "far.dhcp.internal", "A", check=False).stdout
                must("NXDOMAIN" not in said and "ANSWER SECTION" not in said, said)
        finally:
            for process in running:
                process.kill()
                process.wait()


def configuration(folder):
    """Writes what the image would generate, but for the place of the list of the network's resolvers."""
    resolvers = folder / "upstream.conf"
    resolvers.write_text(f"nameserver {UPSTREAM}\n", encoding="ascii")
    lines = generated.config(SimpleNamespace(zone="dhcp.internal", subnet="10.128.0.0/16")).splitlines()
    config = [f"resolv-file={resolvers}" if line.startswith("resolv-file=") else line for line in lines]
    must(config != lines, "the guest's dnsmasq has no resolvers of the network")
    file = folder / "dnsmasq.conf"
    file.write_text("\n".join(config) + "\n", encoding="ascii")
    return file


def ask(node, *question):
    """What the guest's programs are told."""
    return node.run("dig", "@127.0.0.1", "+short", *QUICK, *question, check=False).stdout.strip()
