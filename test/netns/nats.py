"""The NATs are what the picture says, as seen by a program that knows nothing of ipopd."""

import pathlib
import subprocess

import shell
from tally import must

PROBE = str(pathlib.Path(__file__).resolve().parent / "natprobe.py")
OUTSIDE = ("192.0.2.30", "192.0.2.31")
EXPECTED = {
    "one": ("independent", "address-and-port"),
    "two": ("independent", "address-and-port"),
    "sym": ("dependent", "address-and-port"),
}


def run(tally, world):
    """One case for each site."""
    with subprocess.Popen(world.topology.inside("probe", PROBE, "serve", *OUTSIDE), stdout=subprocess.PIPE) as server:
        try:
            server.stdout.readline()
            for site, (mapping, filtering) in EXPECTED.items():
                with tally.case(f"the NAT before {site} is: mapping {mapping}, filtering {filtering}"):
                    seen = shell.run(*world.topology.inside(site, PROBE, "ask", *OUTSIDE)).stdout.strip()
                    must(seen == f"{mapping} {filtering}", f"it is: {seen}")
            with tally.case("no UDP passes the gate before walled"):
                ended = shell.run(*world.topology.inside("walled", PROBE, "ask", *OUTSIDE), check=False)
                must("no answer" in ended.stdout, f"the probe was answered: {ended.stdout}")
        finally:
            server.kill()
