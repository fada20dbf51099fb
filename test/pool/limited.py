"""What a machine's pool.conf keeps from jobs."""

from pool import ZONE
from tally import must
from waiting import until


def run(tally, pool):
    """beta is switched on again with another pool.conf, and stays so."""
    beta = pool.beta
    with tally.case("[jobs] processors: a machine offers no more of its processors than it says"):
        has = int(beta.run("nproc").stdout)
        must(has > 1, "the machine has one processor alone, so there is nothing to see")
        beta.kill()
        beta.config["jobs"] = {"processors": "1"}
        beta.start()
        beta.wait()
        # The ad of before, of all processors, may stand until beta's next one.
        until(lambda: pool.manager.run("condor_status", f"slot1@beta.{ZONE}", "-af", "TotalCpus", check=False).stdout.split(), lambda said: said == ["1.0"],
              "the manager lists one processor", pause=0.5)
