"""A machine with a pool.conf that is wrong: it says which file, which key and what to do, and goes on to its login prompt."""

import probe
import sites
from lab import Lab


def run(tally, folder, setup, say):
    """One machine, one boot; the parsing itself has unit tests."""
    with tally.case("a pool.conf with an unknown key: the console names file, section, key and what to do"):
        text = "[pool]\nname = lab\nsubnet = 10.128.0.0/16\nsecert = 00\n"
        setup.stamp(sites.GAMMA, text=text)
        lab = Lab(folder, setup, say)
        lab.build([sites.GAMMA])
        try:
            lab.power_on("gamma")
            probe.complaint(lab, "gamma", "pool.conf", "[pool]", "secert")
            lab.wait("login", "gamma", timeout=120)
        finally:
            lab.stop_recording()
            lab.vms["gamma"].pull_plug()
