"""wow doctor"""
import json

import dispatch
from doctor import diagnose, finding, gather
from generate import paths

USAGE = "wow doctor [--json] [--socket PATH] [--config FILE]"
SUMMARY = "looks at everything that may be wrong with this machine, and says in a sentence each what is and what to do; best as root"


def run(arguments):
    """Prints the findings; exit code 1 if something is wrong."""
    found, words = dispatch.options(arguments, ("--json",), ("--socket", "--config"))
    dispatch.no_words(words)
    findings = diagnose.diagnose(gather.gather(found.get("--socket", paths.SOCKET), found.get("--config")))
    is_healthy = all(one.state != finding.WRONG for one in findings)
    if "--json" in found:
        print(json.dumps({"healthy": is_healthy, "findings": [one.facts() for one in findings]}))
    else:
        print("\n".join([*(one.line() for one in findings), verdict(findings)]))
    return 0 if is_healthy else 1


def verdict(findings):
    """The last line for people."""
    count = sum(one.state == finding.WRONG for one in findings)
    return "Nothing is wrong." if not count else "One thing is wrong." if count == 1 else f"{count} things are wrong; the first often explains the rest."
