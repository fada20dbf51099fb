"""Machines whose pool.conf is missing or wrong: each says which file, which key and what to do, and goes on to its login prompt."""

import base64

import cleanup
import probe
import sites
import stamp
from lab import Lab

POOL = "[pool]\nname = lab\nsubnet = {subnet}\nbootstrap = udp:198.51.100.10:4433\nsecret = {secret}\n\n[ca]\ncertificate = {certificate}\n"
SECRET = "ab" * 32
NO_CERTIFICATE = base64.b64encode(b"not a certificate").decode()

CASES = (
    ("an unknown key", POOL.format(subnet=sites.SUBNET, secret=SECRET, certificate=NO_CERTIFICATE) + "[node]\nhsot = x\n",
     ("pool.conf", "[node] hsot", "Remove it, or use one of")),
    ("a subnet that is none", POOL.format(subnet="10.128.0.1/16", secret=SECRET, certificate=NO_CERTIFICATE),
     ("pool.conf", "[pool] subnet", "10.128.0.0/16", "Write an IPv4 prefix")),
    ("a CA certificate that can't be read", POOL.format(subnet=sites.SUBNET, secret=SECRET, certificate=NO_CERTIFICATE),
     ("pool.conf", "[ca] certificate", "Copy the line that")),
    ("no pool.conf", stamp.NO_FILE, ("pool.conf", "is missing", "WOWCFG", "wow image stamp")),
)
"""What is wrong, the file, and the words of the console's line: file, section and key, what to do."""


def run(tally, folder, setup, say):
    """One boot each, two machines at a time; the parsing itself has unit tests."""
    for pair in (CASES[:2], CASES[2:]):
        machines = (sites.GAMMA, sites.BETA)
        lab = Lab(folder, setup, say)
        for machine, (_, text, _) in zip(machines, pair, strict=True):
            setup.stamp(machine, text=text)
        lab.build(machines)
        try:
            lab.power_on(*(machine.name for machine in machines))
            for machine, (what, _, words) in zip(machines, pair, strict=True):
                with tally.case(f"{what}: the console names file, section and key and what to do, and the login prompt comes"):
                    probe.complaint(lab, machine.name, *words)
                    lab.wait("login", machine.name, timeout=240)
        finally:
            lab.stop_recording()
            for machine in machines:
                lab.vms[machine.name].pull_plug()
            cleanup.stop()
            setup.stamp(sites.BETA)
