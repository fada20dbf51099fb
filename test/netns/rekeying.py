"""An administrator has another key sign what is published: who runs hears of it, who was off meanwhile follows, and no old copy of the CA's folder publishes."""

import shutil

from certified import BOOTSTRAP, Certified
from tally import must
from waiting import until

POOL = "rekeyed"
STACK, TERM, KEYS = 3, 4, 5
SAID = 60


def number(node, kind):
    """That of the notice that a machine keeps; 0 where it has none."""
    try:
        return int.from_bytes((node.folder / "state" / f"notice-{kind}").read_bytes()[5:13], "big")
    except FileNotFoundError:
        return 0


def run(tally, program):
    """A pool of its own."""
    with Certified(program, program, POOL) as pool:
        machines, gone = [pool.nodes[name] for name in ("manager", "one", "two")], pool.nodes["gone"]
        stolen = pool.ca.with_name("stolen")
        with tally.case("what is published reaches every machine, and so does until when it is the newest"):
            pool.join()
            pool.serve()
            pool.certify("publish", "--none")
            for node in (*machines, gone):
                until(lambda node=node: (number(node, STACK), number(node, TERM)), all, f"{node.name} has stack and term", limit=SAID)
            shutil.copytree(pool.ca, stolen)
        with tally.case("another key signs it, twice: machines hear of both, and have the stack anew"):
            former = number(machines[1], STACK)
            must(gone.stop() == 0, "it does not stop in order")
            for count in (1, 2):
                pool.certify("rekey")
                for node in machines:
                    until(lambda node=node: number(node, KEYS), lambda now, count=count: now == count, f"{node.name} knows the key", limit=SAID)
                    until(lambda node=node: number(node, STACK), lambda now, former=former: now > former, f"{node.name} has what it signed", limit=SAID)
                former = number(machines[1], STACK)
        with tally.case("a machine that was off meanwhile follows both when it is back"):
            gone.start(BOOTSTRAP)
            until(lambda: (number(gone, KEYS), number(gone, STACK)), lambda now: now == (2, former), "it has the keys and the stack", limit=SAID)
        with tally.case("an old copy of the CA's folder publishes nothing more, on no machine"):
            pool.certify("publish", "--none", folder=stolen)
            for node in (*machines, gone):
                answer = node.ask("publish-notice", file=str(stolen / "stack.notice"))
                must(not answer["ok"] and answer["code"] == "bad-notice" and "key 2" in answer["error"], f"{node.name}: {answer}")
            pool.certify("publish", "--none")
            for node in (*machines, gone):
                until(lambda node=node: number(node, STACK), lambda now: now > former, f"{node.name} has what the CA published", limit=SAID)
