"""wow page"""
import json

from wow.agent import client
from wow.lib.errors import WowError
from wow.lib.verb import Given, JSON, Verb
from wow.page import code, where


def run(given: Given) -> int:
    """Asks for a code, and prints the link that has it."""
    address = where.url(where.found())
    if not address:
        raise WowError("this machine has no address on its own network yet", "Look with: ip address")
    said = str(client.ask("login")["login"])
    link = f"{address}/?code={said}"
    print(json.dumps({"link": link, "code": said, "address": address}) if given.has(JSON)
          else f"{link}\nOpen it in a browser on the computer of this machine, or on its network: it is good once, for {code.LIFE // 60} minutes.")
    return 0


VERB = Verb("page", "", "prints a link by which a browser logs in to this machine's web page, once", (JSON,), run)
