"""wow support on a real machine: secrets that stand wherever one could are in no part of its file."""

import io
import json
import tarfile

from jobs import Job
from pool import SECRET, ZONE
from tally import must

PLANTED = {
    "a ticket that was typed": "t7:plantedticket", "a private key": "MIGHPLANTEDKEY", "a key of IPsec": "0xabad1deaabad1dea", "a claim": "plantedclaim",
    "a token": "plantedtoken", "a job's argument": "plantedargument", "a job's environment": "plantedvalue"}
PLANT = """printf '%s\\n' 't7:plantedticket' > /run/wow/ticket; chmod 600 /run/wow/ticket
for said in 'asked with t7:plantedticket, that is plantedticket' 'of the pool: {secret}' 'api_token = plantedtoken' \\
    '\taead rfc4106(gcm(aes)) 0xabad1deaabad1dea 128' \\
    'Request accepted <10.128.0.2:9618?addrs=10.128.0.2-9618&noUDP&sock=startd>#1795563967#7#[Integrity="YES";CryptoMethods="AES";]plantedclaim'; do
    logger "$said"; echo "$said" >> /var/log/condor/StartLog
done
printf -- '-----BEGIN PRIVATE KEY-----\\nMIGHPLANTEDKEY\\n-----END PRIVATE KEY-----\\n' | tee -a /var/log/condor/SchedLog | logger
"""


def run(tally, pool):
    """alice asks on alpha."""
    alpha = pool.alpha
    with tally.case("wow support: it says first what the file will hold, and writes nothing without a yes"):
        done = alpha.run("runuser", "-u", "alice", "--", "sh", "-c", "cd ~alice && echo no | wow support --out ~alice/none.tar.gz", check=False)
        must(done.returncode == 1 and "condor-logs.txt" in done.stdout and done.stdout.index("journal.txt") < done.stdout.index("Type yes"), f"{done}")
        must(alpha.sh("ls", "alice").find("none.tar.gz") < 0, "it is written")
    with tally.case("wow support: planted secrets are in no part of the file, which its owner alone may read"):
        alpha.sh(PLANT.format(secret=SECRET))
        Job(alpha, "alice", "exit 0", on=f"alpha.{ZONE}", arguments="plantedargument", more='environment = "KEY=plantedvalue"').wait()
        job = Job(alpha, "alice", "exit 0", more="hold = true")
        said = json.loads(alpha.sh("wow support --json --yes", "alice"))
        must(alpha.sh(f"stat -c '%a %U' {said['file']}").split() == ["600", "alice"], "it is others', too")
        texts = parts(alpha, said["file"])
        must(set(texts) == {one["name"] for one in said["holds"]}, f"{set(texts)}")
        found = [(name, what) for name, text in texts.items() for what, secret in {**PLANTED, "the pool's secret": SECRET, "the ticket's end": "plantedticket"}.items()
                 if secret in text]
        must(not found, f"{found}")
        for name, part in (("journal.txt", "asked with [taken out]"), ("condor-logs.txt", "Request accepted <10.128.0.2"), ("pool.conf", "secret = [taken out]"),
                           ("doctor.json", "HTCondor runs."), ("status.json", alpha.address), ("versions.txt", "CondorVersion"), ("jobs.txt", "submitted on hold at user's request"),
                           ("network.txt", "chain slot_lo")):
            must(part in texts[name], f"{name} has no {part}: {texts[name][-2000:]}")
        must("queue-silent" not in texts["doctor.json"], texts["doctor.json"])
        job.remove()
    with tally.case("wow support: nothing of it stays in the machine's memory, and root needs no agent"):
        must(alpha.sh("cat /run/wow/support/* | wc -c").strip() == "0", "it stays")
        said = json.loads(alpha.sh("wow support --json --yes --out /root/mine.tar.gz"))
        must("HTCondor runs." in parts(alpha, said["file"])["doctor.json"], "it is empty")
        done = alpha.run("wow", "support", "--yes", "--out", "/root/mine.tar.gz", check=False)
        must(done.returncode == 1 and "is there already" in done.stdout, f"{done}")
        alpha.sh("rm /run/wow/ticket /root/mine.tar.gz")
    with tally.case("wow support: who fills the own archive fills no more than its place, and others get theirs"):
        free = int(alpha.sh("stat -f -c '%a' /run"))
        alpha.sh("dd if=/dev/zero of=/run/wow/support/$(id -u).tar.gz bs=1M count=64 2>&1 || true", "alice")
        filled, left = int(alpha.sh("du -sk /run/wow/support").split()[0]), int(alpha.sh("stat -f -c '%a' /run"))
        # Half of what was written: the journal grows in /run, too.
        must(10 << 10 < filled <= 16 << 10 and left > free - (32 << 20) // 4096, f"it fills {filled} kB; of {free} blocks {left} are left")
        said = json.loads(alpha.sh("wow support --json --yes --out ~/second.tar.gz", "bob"))
        must("HTCondor runs." in parts(alpha, said["file"])["doctor.json"], "bob's is empty")


def parts(machine, file):
    """{name: text} of the archive."""
    data = bytes.fromhex(machine.sh(f"od -An -v -tx1 {file}").replace("\n", " ").replace(" ", ""))
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name.removeprefix("wow-support/"): tar.extractfile(member).read().decode() for member in tar.getmembers()}
