"""The pool comes up by itself, and a job of one machine runs on another."""

from jobs import Job
from pool import ZONE
from tally import must
from waiting import until


def begin(tally, pool):
    """Starts the pool."""
    with tally.case("machines come up by themselves and the manager lists them"):
        pool.start()


def run(tally, pool):
    """Starts the pool and has it work."""
    begin(tally, pool)
    with tally.case("a job of alice on alpha runs on beta, in an account of a slot, and its output comes back"):
        job = Job(pool.alpha, "alice", "id -un; hostname", on=f"beta.{ZONE}")
        said = job.result().split()
        must(said[0].startswith("wowjob") and said[1] == "beta", f"the job said {said}")
    with tally.case("while one runs, beta's page says for whom and since when; and nothing then"):
        job = Job(pool.alpha, "alice", "sleep 600", on=f"beta.{ZONE}").started()
        said, _ = until(lambda: pool.beta.sh("cat /run/wow/page"), lambda page: f"alice@alpha.{ZONE}  " in page, "the page names alice")
        must("It works: 1 job of its pool runs here." in said and " since " in said, said)
        job.remove()
        until(lambda: pool.beta.sh("cat /run/wow/page"), lambda page: "waits for jobs" in page, "the page has no job")
    with tally.case("a job that may run anywhere runs on its own machine, too, and its output comes back"):
        job = Job(pool.alpha, "alice", "id -un; hostname", on=f"alpha.{ZONE}")
        said = job.result().split()
        must(said[0].startswith("wowjob") and said[1] == "alpha", f"the job said {said}")
