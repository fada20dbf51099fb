"""wow doctor"""
import json

from wow.doctor import diagnose, finding, gather
from wow.doctor.finding import Finding
from wow.lib import paths
from wow.lib.verb import JSON, SOCKET, Given, Option, Verb

CONFIG = Option("--config", "FILE", "with --socket: the configuration of that ipopd")


def run(given: Given) -> int:
    """Prints the findings; exit code 1 if something is wrong."""
    findings = diagnose.diagnose(gather.gather(given.get(SOCKET, paths.SOCKET), given.find(CONFIG)))
    is_healthy = all(one.state != finding.WRONG for one in findings)
    if given.has(JSON):
        print(json.dumps({"healthy": is_healthy, "findings": [one.facts() for one in findings]}))
    else:
        print("\n".join([*(one.line() for one in findings), verdict(findings)]))
    return 0 if is_healthy else 1


def verdict(findings: list[Finding]) -> str:
    """The last line for people."""
    count = sum(one.state == finding.WRONG for one in findings)
    return "Nothing is wrong." if not count else "One thing is wrong." if count == 1 else f"{count} things are wrong; the first often explains the rest."


VERB = Verb("doctor", "", "looks at everything that may be wrong with this machine, and says in a sentence each what is and what to do; best as root",
            (JSON, SOCKET, CONFIG), run)
