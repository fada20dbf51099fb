"""Tells the pool's manager of machines that are not there: player HOST MACHINES SECONDS, run on the machine HOST. Their ads are HOST's own, under other
names and addresses. All are told at once first, then each once in so many seconds, evenly spread, until the player is ended."""

import sys
import time

import classad2
import htcondor2

KINDS = {"UPDATE_STARTD_AD": (htcondor2.AdType.Startd, htcondor2.AdType.StartDaemon), "UPDATE_SCHEDD_AD": (htcondor2.AdType.Schedd,),
         "UPDATE_MASTER_AD": (htcondor2.AdType.Master,)}
FIRST = 10
"""Of the address's third byte: machine 1 has 10.128.10.1. Nobody of the pool has one of these."""


def templates(collector, host):
    """{command: HOST's own ads of its kind, as text}."""
    return {command: [str(ad) for kind in kinds for ad in collector.query(kind, f'Machine == "{host}"')] for command, kinds in KINDS.items()}


def renamed(text, host, address, number):
    """The same ad of another machine."""
    here, dot, zone = host.partition(".")
    return classad2.ClassAd(text.replace(host, f"m{number:04}{dot}{zone}").replace(f'"{here}"', f'"m{number:04}"')
                            .replace(address, f"10.128.{FIRST + number // 250}.{1 + number % 250}"))


def tell(collector, known, host, address, number):
    """All ads of one machine, a connection for each daemon."""
    for command, texts in known.items():
        collector.advertise([renamed(text, host, address, number) for text in texts], command)


def main(host, machines, seconds):
    """Goes on until it is ended."""
    collector = htcondor2.Collector()
    known = templates(collector, host)
    address = str(collector.query(htcondor2.AdType.Schedd, f'Machine == "{host}"')[0]["MyAddress"])[1:].partition(":")[0]
    for number in range(machines):
        tell(collector, known, host, address, number)
    begun, told = time.monotonic(), 0
    while True:
        tell(collector, known, host, address, told % machines)
        told += 1
        time.sleep(max(0.0, begun + told * seconds / machines - time.monotonic()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
