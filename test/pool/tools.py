"""What people of a machine type."""

import json

from tally import must

COMPLETE = """bash -lc 'COMP_WORDS=(wow sta); COMP_CWORD=1; _wow; echo "${COMPREPLY[@]}"; complete -p wow wow-ca'"""


def run(tally, pool):
    """alice logs in to alpha."""
    machine = pool.alpha
    with tally.case("at a login bash completes verbs of wow and commands of wow-ca"):
        said = machine.sh(COMPLETE, "alice").splitlines()
        must(said == ["status", "complete -F _wow wow", "complete -F _wow_ca wow-ca"], f"{said}")
    with tally.case("wow and wow-ca are of one release, and answer programs by JSON"):
        versions = {machine.sh(f"{program} --version", "alice").split()[1] for program in ("wow", "/usr/lib/wow/ca/wow-ca")}
        must(len(versions) == 1, f"{versions}")
        status = json.loads(machine.sh("wow status --json", "alice"))
        must(status["address"] == machine.address, f"{status}")
