"""Every site is what it claims to be, as seen by a program that knows nothing of ipopd."""

import concurrent.futures
import json
import pathlib
import subprocess

from internet import PROBE, PROBE_SIX
from tally import must

PROBES = pathlib.Path(__file__).resolve().parents[1]
NATPROBE, MAPPROBE = str(PROBES / "natprobe.py"), str(PROBES / "mapprobe.py")
AT_ONCE = 6


def differences(claims, facts):
    """Where the probe's facts are not the claims, in words."""
    return [f"{key} is {facts.get(key)!r}, not {wanted!r}" for key, wanted in claims.items() if facts.get(key) != wanted]


class Proof:
    """start() before any daemon runs; the slow part goes on meanwhile; finish() compares."""

    def __init__(self, internet, sites):
        self._internet = internet
        self._sites = sites
        self._facts = {site.name: {} for site in sites}
        self._slow = {}
        self._servers = []

    def start(self):
        """Asks from every site. The probes use the overlay's own port, so no daemon may run yet."""
        for addresses in (PROBE, PROBE_SIX):
            self._servers.append(subprocess.Popen(self._internet.inside("probe", NATPROBE, "serve", *addresses), stdout=subprocess.PIPE))
            self._servers[-1].stdout.readline()
        for site in self._sites:
            if site.lasts:
                self._slow[site.name] = subprocess.Popen(self._inside(site, "lasts", str(site.lasts)), stdout=subprocess.PIPE, text=True)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self._describe, self._sites))
            list(pool.map(self._neighbour, self._sites))
            list(pool.map(self._maps, [site for site in self._sites if "maps" in site.claims]))
        # One after the other where a gate is shared: what one resets, another would lose.
        gates = {}
        for site in self._sites:
            if "forgets" in site.claims:
                gates.setdefault(site.gate, []).append(site)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(lambda group: [self._forgets(site) for site in group], gates.values()))

    def finish(self, tally):
        """One case a site; returns the facts."""
        for name, process in self._slow.items():
            self._facts[name].update(json.loads(process.communicate(timeout=120)[0]))
        self._end(self._servers)
        for site in self._sites:
            with tally.case(f"the probe says that {site.name} is: {site.title}"):
                wrong = differences(site.claims, self._facts[site.name])
                must(not wrong, "; ".join(wrong))
        return self._facts

    def close(self):
        """Ends what still runs."""
        self._end([*self._slow.values(), *self._servers])

    @staticmethod
    def _end(processes):
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _inside(self, site, command, *rest):
        return self._internet.inside(site.name, NATPROBE, command, *(PROBE if 4 in site.versions else PROBE_SIX), *rest)

    def _describe(self, site):
        self._facts[site.name].update(self._ask(self._inside(site, "describe")))
        if "ipv4" in site.claims:
            self._facts[site.name]["ipv4"] = self._ask(self._internet.inside(site.name, NATPROBE, "reaches", *PROBE))

    @staticmethod
    def _ask(command):
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout)

    def _neighbour(self, site):
        """Whether the other machine behind the same gate answers at its private address."""
        for other in self._sites:
            if other is not site and other.gate == site.gate and site.gate is not None:
                ping = self._internet.inside(site.name, "ping", "-n", "-c", "2", "-i", "0.2", "-W", "1", other.address)
                self._facts[site.name]["neighbour"] = subprocess.run(ping, stdout=subprocess.DEVNULL, check=False, timeout=30).returncode == 0

    def _maps(self, site):
        """By what the gateway maps ports when somebody else than ipopd asks."""
        ended = subprocess.run(self._internet.inside(site.name, MAPPROBE, PROBE[0]), stdout=subprocess.PIPE, text=True, check=True, timeout=60)
        self._facts[site.name]["maps"] = json.loads(ended.stdout)

    def _forgets(self, site):
        command = self._inside(site, "forgets")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            self._internet.forget(site)
            said = process.communicate("\n", timeout=60)[0]
        self._facts[site.name].update(json.loads(said))
