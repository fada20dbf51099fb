"""Ads of a real pool (HTCondor 23.9.6), a few of their lines, and a stand-in for HTCondor's module classad2 that reads them: literals are values, all
else is undefined. What expressions come to is tested on real machines (test/pool/seeing.py)."""
import json
import re
import sys
import types
from unittest import mock

def printed(text):
    """Ads, blank lines between, as HTCondor's tools print them with -long:new."""
    found = [part.strip().split("\n") for part in text.split("\n\n") if part.strip()]
    return "{\n" + "\n,\n".join("[ " + "; ".join(lines) + " ]" for lines in found) + "\n}\n"


SLOT = printed("""MyType = "Machine"
Name = "slot1@beta.pool.internal"
Machine = "beta.pool.internal"
SlotType = "Partitionable"
State = "Unclaimed"
Activity = "Idle"
DaemonStartTime = 1795563967
JobStarts = 1
LastHeardFrom = 1795563998
MyCurrentTime = 1795563997
NumDynamicSlots = 0
NumDynamicSlotsTime = 1795563982
Memory = 23977
TotalSlotMemory = 23977
Requirements = START && (WithinResourceLimits)
Start = (NumDynamicSlots ?: 0) < 128
WithinResourceLimits = (MY.Cpus > 0 && TARGET.RequestCpus <= MY.Cpus && MY.Memory > 0 && TARGET.RequestMemory <= MY.Memory && MY.Disk > 0 && \
TARGET.RequestDisk <= MY.Disk && (TARGET.RequestGPUs =?= undefined || MY.GPUs >= TARGET.RequestGPUs))
""")

QUEUE = printed("""MyType = "Scheduler"
Machine = "beta.pool.internal"
LastHeardFrom = 1795563998
MyCurrentTime = 1795563998
""")

POOL = printed("""
MyType = "Negotiator"
Machine = "manager.pool.internal"
LastHeardFrom = 1795564000

MyType = "Scheduler"
Machine = "alpha.pool.internal"

MyType = "Submitter"
Name = "alice@alpha.pool.internal"
IdleJobs = 9
RunningJobs = 1

MyType = "Submitter"
Name = "bob@alpha.pool.internal"
IdleJobs = 2
RunningJobs = 0

MyType = "Submitter"
Name = "carol@alpha.pool.internal"
IdleJobs = 0
RunningJobs = 0

MyType = "Accounting"
Name = "alice@alpha.pool.internal"
Priority = 500.14
""")

JOB = printed("""ClusterId = 3
Cmd = "/bin/sleep"
EnteredCurrentStatus = 1795564001
ExitBySignal = false
JobPrio = 0
JobStatus = 1
JobUniverse = 5
LastRejMatchReason = "no match found "
LastRejMatchTime = 1795564132
MyType = "Job"
Owner = "alice"
ProcId = 0
RequestDisk = DiskUsage
RequestMemory = 65536
User = "alice@alpha.pool.internal"
""")


class Ad:
    """The attributes of an ad, in any case of letters."""

    def __init__(self, text, kind):
        if kind == "JSON":
            self.lines = {name.lower(): json.dumps(value) for name, value in json.loads(text).items()}
        else:
            parts = re.findall(r'(?:[^;"]|"(?:[^"\\]|\\.)*")+', text[2:-2])
            self.lines = {name.lower(): expression for name, _, expression in (part.strip().partition(" = ") for part in parts)}

    def lookup(self, name):
        """The expression."""
        return self.lines[name.lower()]

    def eval(self, name):
        """The value of a literal."""
        try:
            return json.loads(self.lines[name.lower()])
        except ValueError:
            return Value()


class Value:
    """Undefined."""


def classad2():
    """Puts the stand-in where HTCondor's module would be; a patch to start and stop."""
    module = types.SimpleNamespace(parseNext=Ad, ParserType=types.SimpleNamespace(New="New", JSON="JSON"), ExprTree=str)
    return mock.patch.dict(sys.modules, {"classad2": module})
