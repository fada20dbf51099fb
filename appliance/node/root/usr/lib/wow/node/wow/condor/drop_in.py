"""HTCondor's configuration: machines are known by their certificate (SSL), people of this machine by their account (FS).

What is not obvious was measured. HTCondor ignores addresses in certificates, so the collector is named, and NETWORK_HOSTNAME is the name
in this machine's certificate. A shadow that notices a lost connection loses the job's output (23.9.6): the long keepalive and timeouts
keep it from noticing an outage of ten minutes. Three Python transfer plugins cost the startd 28 s in an emulated guest. Without
STARTER_ALLOW_RUNAS_OWNER = False the administrator of any machine could act as any user of all others.

HTCondor's timers go by the wall clock. MAX_TIME_SKIP, which has the master restart its daemons, knows no direction: a sleep of the host would
end jobs that go on after it. What a clock that is set back does, `setback` mends (decision 0020).

The schedd reads a startd's answer to a claim (two ClassAds, 14 kB) with a timeout of 1 s (dc_startd.cpp, ClaimStartdMsg::readMsg), and
condor_read counts in whole seconds (condor_rw.cpp): an answer whose packets come before and after the clock's next second is late after
milliseconds. Then the schedd forgets the claim, the startd keeps it, and nothing is matched until the startd asks about it: after
MAX_CLAIM_ALIVES_MISSED (6) x ALIVE_INTERVAL (300 s) / 3. The collector reads machines' ads just so (collector_engine.cpp, collect); a
lost one comes again after UPDATE_INTERVAL. So both wait *_TIMEOUT_MULTIPLIER times as long for all that they ask, which is why it is not
more: the collector a whole second, the schedd two, as one of four answers over a line of 128 kbit/s was lost to less (test/vm, on a slow
machine). A forgotten claim is found after 30 s.

A schedd that asks the negotiator to look at its new job (RESCHEDULE) waits in the middle of the TLS handshake of their first talk. If the
negotiator begins a cycle just then it waits for this very schedd, and both do so until one gives up: 60 s were seen, and nobody else is
matched meanwhile. So schedds don't ask, and cycles follow each other more closely. A schedd that is gone keeps the others waiting for
NEGOTIATOR_TIMEOUT (30 s by default) in each cycle.

Two thirds of a queue's ad are statistics, and what a startd tells of itself in an ad of its own (StartD) its slots' ads have, too. Neither is sent: an idle
machine's ads are 14 kB instead of 24."""
from wow.condor import ads, drained, held, mapfile
from wow.config.facts import Facts
from wow.lib import paths
from wow.limits import tell as limits
from wow.refuse import tell as refused
from wow.slots import begun, disk
from wow.stops import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Collection

TOLD = 15
"""Seconds between two looks at what wow-jobs says of the queue's jobs, which stands in the queue's ad."""
LOOK = 60
"""Seconds between two looks at what a job has written, beside the one at its end; more than its request_disk, and it is held."""
PROVISIONED = "DiskProvisioned"
"""A job's attribute: the KiB that its slot gave it."""
PATIENCE = 1800
"""Seconds after which a job that the owner's pause stopped is given back, so that it runs elsewhere."""
IN_SLOT = ("ProjectName", "ConcurrencyLimits", "NiceUser", "ExecutableSize", "ImageSize")
"""Words of a job that go into its slot's ad, which goes to the starter and to each manager: the startd evaluates the second. One of a former release copies the others as
expressions (HTCondor 23.9.6, test/pool)."""
OF_THE_SCHEDD = ("PublicClaimId", "LastPublicClaimId", "RemoteHost")
"""Words of a job by which wow-jobs knows its machine and its shadow (jobs/queue.py). The schedd writes them. It could not if they were immutable or secure: those it
holds to itself, too (HTCondor 23.9.6, ModifyAttrCheck)."""
BESIDE = ("PreCmd", "PostCmd", "ToolDaemonCmd")
"""Words of a job that name a program more (HTCondor, Starter::ConstructProcs, script_proc.cpp and tool_daemon_proc.cpp)."""
REACHING = ("WantIOProxy", "WantRemoteUpdates")
"""Words of a job that give the machine which runs it all files of its person to read and write, or all words of the job to change, its program's among them
(HTCondor, remoteresource.cpp)."""
STREAMED = ("StreamIn", "StreamOut", "StreamErr")
"""Words of a job that give it these files, too, where the job has no LimitDirectoryAccess."""
DISK = 256 << 10
"""KiB of disk beside its program and its input that a job gets which asks for none. HTCondor's own default is none, and its first file would have it held."""
LONGEST_LIMITS = 400
"""Characters of concurrency_limits."""
KINDS = ("Machine", "StartD", "Scheduler", "Submitter", "DaemonMaster")
"""Types of ads that a machine with a queue and slots sends (condor_adtypes.h)."""
VACATE, LONGEST_VACATE = 20, 120
"""Seconds that a job has for its checkpoint when its machine gives it back, from SIGTERM to SIGKILL: one that asks for no more (job_max_vacate_time), and one that does,
at most. A machine that is shut down waits for neither longer than stop-jobs does."""


def config(pool: Facts, address: str, host: str, admins: "Collection[str]" = ()) -> str:
    """The drop-in for this machine. admins: the accounts of a manager that are the pool's administrators."""
    return _common(pool, address, host) + (_open_pool(pool) if pool.open else _certified(pool)) + (_manager(pool, admins) if pool.is_manager else _queue(pool))


def _common(pool: Facts, address: str, host: str) -> str:
    zone = pool.zone
    return f"""# Generated from pool.conf and this machine's certificate.
include : {paths.RUN}/condor-managers.conf
# Who has waited 6 s for a manager that is away tells it nothing for 10 min, also when it is back long since; 3600 if nothing is said.
DEAD_COLLECTOR_MAX_AVOIDANCE_TIME = 30
# A daemon that died several times within five minutes each waits twice as long for its next start; up to an hour if nothing is said.
MASTER_BACKOFF_CEILING = 30
COLLECTOR_NAME = {pool.name}
UID_DOMAIN = {host}.{zone}
TRUST_DOMAIN = {zone}
NETWORK_HOSTNAME = {host}.{zone}
FILESYSTEM_DOMAIN = {host}.{zone}
DEFAULT_DOMAIN_NAME = {zone}
NETWORK_INTERFACE = {address}
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False
IN_LOWPORT = {paths.DAEMON_PORTS[0]}
IN_HIGHPORT = {paths.DAEMON_PORTS[1]}

TCP_KEEPALIVE_INTERVAL = 3200
STARTER_UPLOAD_TIMEOUT = 3600
JOB_DEFAULT_LEASE_DURATION = 3600
RECONNECT_BACKOFF_CEILING = 30
MAX_TIME_SKIP = 604800

SEC_DEFAULT_AUTHENTICATION_TIMEOUT = 120
RUNBENCHMARKS = False
ENABLE_KERNEL_TUNING = False
ENABLE_URL_TRANSFERS = False
SPOOL = /var/lib/condor/spool
MAX_DEFAULT_LOG = 256 Kb
MAX_NUM_DEFAULT_LOG = 1
# Both would grow to tens of MB in the memory that /var/log is. Without a name for the second, HTCondor goes on as another user and can't write the next file
# (FileTransfer::RecordFileTransferStats).
STARTD_HISTORY =
FILE_TRANSFER_STATS_LOG = /dev/null
CERTIFICATE_MAPFILE = {mapfile.FILE}
CERTIFICATE_MAPFILE_ASSUME_HASH_KEYS = True
LOCAL_USERS = *@$(UID_DOMAIN)/$(IP_ADDRESS)
ALLOW_READ = $(LOCAL_USERS)
ALLOW_WRITE = $(LOCAL_USERS), execute-side@matchsession, submit-side@matchsession
ALLOW_ADMINISTRATOR = root@$(UID_DOMAIN)/$(IP_ADDRESS), condor@$(UID_DOMAIN)/$(IP_ADDRESS)
include ifexist : {paths.RUN}/condor-pace.conf
"""


def _certified(pool: Facts) -> str:
    zone, state = pool.zone, paths.STATE
    return f"""
use SECURITY : Strong
SEC_DEFAULT_CRYPTO_METHODS = AES
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, SSL
SEC_CLIENT_AUTHENTICATION_METHODS = FS, SSL
AUTH_SSL_SERVER_CERTFILE = {state}/node.pem
AUTH_SSL_SERVER_KEYFILE = {state}/node.key
AUTH_SSL_CLIENT_CERTFILE = {state}/node.pem
AUTH_SSL_CLIENT_KEYFILE = {state}/node.key
AUTH_SSL_SERVER_CAFILE = {state}/ca.pem
AUTH_SSL_CLIENT_CAFILE = {state}/ca.pem
AUTH_SSL_SERVER_USE_DEFAULT_CAS = False
AUTH_SSL_CLIENT_USE_DEFAULT_CAS = False
COLLECTOR_BOOTSTRAP_SSL_CERTIFICATE = False
ALLOW_DAEMON = condor@$(UID_DOMAIN)/$(IP_ADDRESS), manager@pool.{zone}
ALLOW_NEGOTIATOR = manager@pool.{zone}
"""


def _open_pool(pool: Facts) -> str:
    # Nobody can be told from anybody in an open pool. Machines only claim to be of it, and may match and offer slots by that. What people do, and what
    # is done to a machine's queue, is theirs who have an account on the machine itself.
    owner = "condor@$(UID_DOMAIN)/$(IP_ADDRESS)"
    anybody = f"{mapfile.CLAIMED}.{pool.zone}"
    # The levels for machines would take their methods from DAEMON's.
    methods = "".join(f"SEC_{level}_AUTHENTICATION_METHODS = FS\n" for level in ("WRITE", "DAEMON", "ADMINISTRATOR", "CONFIG", "OWNER"))
    methods += "".join(f"SEC_{level}_AUTHENTICATION_METHODS = FS, CLAIMTOBE\n" for level in ("NEGOTIATOR", "ADVERTISE_MASTER", "ADVERTISE_STARTD", "ADVERTISE_SCHEDD"))
    return f"""
SEC_DEFAULT_AUTHENTICATION = REQUIRED
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
{methods}SEC_CLAIMTOBE_INCLUDE_DOMAIN = False
ALLOW_DAEMON = {owner}
ALLOW_NEGOTIATOR = {owner}, {anybody}
"""


def _manager(pool: Facts, admins: "Collection[str]") -> str:
    machines = f"{mapfile.CLAIMED}.{pool.zone}" if pool.open else f"*@node.{pool.zone}, manager@pool.{pool.zone}"
    # The manager's own programs take ads of others away (jobs/ads.py); what an ad may say is COLLECTOR_REQUIREMENTS' matter.
    local = "root@$(UID_DOMAIN)/$(IP_ADDRESS), condor@$(UID_DOMAIN)/$(IP_ADDRESS)"
    # Who has what share of the pool (condor_userprio) is for its administrators to say, and nobody is root there.
    people = "".join(f", {name}@$(UID_DOMAIN)/$(IP_ADDRESS)" for name in admins)
    return f"""
ALLOW_ADVERTISE_MASTER = {machines}, {local}
ALLOW_ADVERTISE_STARTD = {machines}, {local}
ALLOW_ADVERTISE_SCHEDD = {machines}, {local}
COLLECTOR.ALLOW_NEGOTIATOR = $(ALLOW_NEGOTIATOR), {local}
COLLECTOR.ALLOW_READ = *
NEGOTIATOR.ALLOW_READ = *
NEGOTIATOR.ALLOW_ADMINISTRATOR = {local}{people}
COLLECTOR_TIMEOUT_MULTIPLIER = 2
NEGOTIATOR_INTERVAL = 5
NEGOTIATOR_TIMEOUT = 10
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_UPDATE_AFTER_CYCLE = True
NEGOTIATOR_CONSIDER_PREEMPTION = False
NEGOTIATION_CYCLE_STATS_LENGTH = {ads.CYCLES}
CLASSAD_LIFETIME = 420
COLLECTOR_REQUIREMENTS = {_own_ads(pool)}
include ifexist : {drained.FILE}
"""


def _own_ads(pool: Facts) -> str:
    """
    Which ads the collector takes: of its own machine's daemons, its own about itself, which comes from nobody, and what a machine says about itself.
    That is a name that ends in the machine's, which is so for people's names too, and in a pool with certificates the machine's certificate and a type that a machine
    has: who may send what follows from the collector's commands, but who reads asks for a type, and would take a slot's ad for a negotiator's.
    """
    # All are texts, for the collector keeps what it once asked: an expression is another name a second later.
    said = " && ".join(f'evalInEachContext(unparse({name}), {{TARGET}})[0] =?= strcat("\\"", {name}, "\\"")' for name in ("Name", "Machine", "MyType"))
    same = f'{said} && (Name =?= Machine || substr(Name, -1 - size(Machine)) =?= strcat("@", Machine))'
    if pool.open:
        whose = f'regexp("^[a-z0-9-]+[.]{pool.zone}$", Machine)'
    else:
        kinds = ", ".join(f'"{kind}"' for kind in KINDS)
        whose = (f'AuthenticatedIdentity =?= strcat(split(Machine, ".")[0], "@node.{pool.zone}") && '
                 f'Machine =?= strcat(split(Machine, ".")[0], ".{pool.zone}") && member(MyType, {{{kinds}}})')
    # What the master starts proves itself as condor@family, by a key that only they have. A machine may be called condor.
    own = ["condor@family", "condor@$(UID_DOMAIN)", *([] if pool.open else [f"manager@pool.{pool.zone}"])]
    # A manager tells the others what people have used; whoever it is in an open pool. One refused ad takes the connection and its other ads with it.
    others = ['MyType =?= "Accounting"'] if pool.open else []
    trusted = ['(MyType =?= "Collector" && AuthenticatedIdentity =?= undefined)', *others, *(f'AuthenticatedIdentity =?= "{name}"' for name in own)]
    return " || ".join([*trusted, f"(({whose} && {same}) =?= true)"])


def _queue(pool: Facts) -> str:
    # A group is a word before the name, with a dot between: b of the group a would have the share of the account a.b, and each new group a fresh one.
    # Who may match may read by that; a queue is not for everybody to read.
    denied = f"DENY_READ = {mapfile.CLAIMED}.{pool.zone}\n" if pool.open else ""
    return f"""
{denied}SCHEDD.STATISTICS_TO_PUBLISH = NONE
DAEMON_LIST = MASTER, SCHEDD{", STARTD" if pool.has_slots else ""}
SCHEDD_TIMEOUT_MULTIPLIER = 3
SCHEDD_SEND_RESCHEDULE = False
# In a folder that no slot's account enters (tmpfiles.d/wow.conf).
LOCAL_UNIV_EXECUTE = {paths.STATE}/local/execute
JOB_DEFAULT_REQUESTDISK = DiskUsage + {DISK}
ALIVE_INTERVAL = 15
SCHEDD_CRON_JOBLIST = WOW
SCHEDD_CRON_WOW_EXECUTABLE = /usr/bin/cat
SCHEDD_CRON_WOW_ARGS = {paths.QUEUE_AD}
SCHEDD_CRON_WOW_MODE = Periodic
SCHEDD_CRON_WOW_PERIOD = {TOLD}s
# An expression of a megabyte may come to one letter, here or elsewhere: what it comes to here takes its place.
JOB_TRANSFORM_NAMES = $(JOB_TRANSFORM_NAMES) WowWords, WowStreams
JOB_TRANSFORM_WowWords @=end
{_evaluated()}@end
JOB_TRANSFORM_WowStreams @=end
  REQUIREMENTS {" || ".join(f"({name} ?: false) =!= false" for name in STREAMED)}
  DEFAULT LimitDirectoryAccess Iwd
@end
SHADOW = /usr/lib/wow/node/shadow
SUBMIT_REQUIREMENT_NAMES = OwnShare, SlotAccount, OneProgram, OwnFiles, OwnPlace, PartOfMachine, ShortProject, ShortLimits, ShortWords
SUBMIT_REQUIREMENT_OwnShare = AccountingGroup =?= undefined || AccountingGroup =?= Owner || AccountingGroup =?= strcat("{ads.PATIENT}", Owner)
SUBMIT_REQUIREMENT_OwnShare_REASON = "A job counts for who submits it: leave accounting_group out, and name no other in accounting_group_user"
SUBMIT_REQUIREMENT_SlotAccount = RunAsOwner =!= true
SUBMIT_REQUIREMENT_SlotAccount_REASON = "A job runs in the account of its slot, on whatever machine: leave run_as_owner out"
SUBMIT_REQUIREMENT_OneProgram = {" && ".join(f"{name} =?= undefined" for name in BESIDE)}
SUBMIT_REQUIREMENT_OneProgram_REASON = "A machine runs the job's own program alone: leave {", ".join(BESIDE)} out, and call them from it"
SUBMIT_REQUIREMENT_OwnFiles = {" && ".join(f"({name} ?: false) =?= false" for name in REACHING)}
SUBMIT_REQUIREMENT_OwnFiles_REASON = "The machine that runs the job could do as it likes with all your files: leave {", ".join(REACHING)} out"
SUBMIT_REQUIREMENT_OwnPlace = {" && ".join(f"{name} =?= undefined" for name in OF_THE_SCHEDD)}
SUBMIT_REQUIREMENT_OwnPlace_REASON = "The queue alone says where a job runs: leave {", ".join(OF_THE_SCHEDD)} out"
SUBMIT_REQUIREMENT_PartOfMachine = WorkingCM =?= undefined
SUBMIT_REQUIREMENT_PartOfMachine_REASON = "A job gets a part of a machine: leave WorkingCM out"
SUBMIT_REQUIREMENT_ShortProject = ProjectName =?= undefined || size(ProjectName) <= {begun.LONGEST}
SUBMIT_REQUIREMENT_ShortProject_REASON = "+ProjectName is a text in quotation marks, of {begun.LONGEST} characters at most"
SUBMIT_REQUIREMENT_ShortLimits = ConcurrencyLimits =?= undefined || size(ConcurrencyLimits) <= {LONGEST_LIMITS}
SUBMIT_REQUIREMENT_ShortLimits_REASON = "concurrency_limits have {LONGEST_LIMITS} characters at most"
SUBMIT_REQUIREMENT_ShortWords = isBoolean(NiceUser ?: false) && isInteger(ExecutableSize ?: 0) && isInteger(ImageSize ?: 0)
SUBMIT_REQUIREMENT_ShortWords_REASON = "nice_user is true or false, ExecutableSize and ImageSize are whole numbers: leave them out"
SYSTEM_PERIODIC_HOLD_NAMES = $(SYSTEM_PERIODIC_HOLD_NAMES) WowDisk
SYSTEM_PERIODIC_HOLD_WowDisk = {_filled()}
SYSTEM_PERIODIC_HOLD_WowDisk_SUBCODE = {held.DISK_SUBCODE}
SYSTEM_PERIODIC_HOLD_WowDisk_REASON = {disk.reason(PROVISIONED)}
IMMUTABLE_JOB_ATTRS = AccountingGroup, AcctGroup, AcctGroupUser, RunAsOwner, WorkingCM, {", ".join((*REACHING, *IN_SLOT))}
PROTECTED_JOB_ATTRS = {", ".join(OF_THE_SCHEDD)}
{_slots(pool) if pool.has_slots else ""}"""


def _evaluated() -> str:
    return "".join(f"  if defined MY.{name}\n    EVALSET {name} {name}\n  endif\n" for name in IN_SLOT)


def _filled() -> str:
    """Whether a job has more than it may, by each look at what it has written, the one at its end among them: what the kernel refused may be why it ends, whatever
    it says of that itself. The queue alone holds it. Where its machine did in the same moment, that one did not hear the queue, and the job stood still unheld
    for its whole lease. A job that waits again keeps its figures."""
    return f"JobStatus != 1 && {disk.exceeded(PROVISIONED)}"


def _slots(pool: Facts) -> str:
    # A slot shares no files with anybody, not even with its own machine's people (FILESYSTEM_DOMAIN): theirs are not for its account.
    most = int(pool.values["jobs", "processors"])
    processors = f"WOW_PROCESSORS = min({{{most}, $(DETECTED_CPUS_LIMIT)}})\nNUM_CPUS = $INT(WOW_PROCESSORS)\n" if most else ""
    accounts = "".join(f"SLOT1_{number}_USER = wowjob{number}\n" for number in range(1, paths.JOB_ACCOUNTS + 1))
    return f"""
use FEATURE : PartitionableSlot
ENABLE_STARTD_DAEMON_AD = False
# HTCondor copies these from a job as they stand, and a job may write a megabyte into each.
SYSTEM_STARTD_JOB_ATTRS =
EXECUTE = {paths.STATE}/execute
JOB_EXECUTION_TRANSFORM_NAMES = $(JOB_EXECUTION_TRANSFORM_NAMES) WowProject, WowOneProgram
JOB_EXECUTION_TRANSFORM_WowProject @=end
  EVALSET WowProject ifThenElse(isString(ProjectName), substr(ProjectName, 0, {begun.LONGEST}), "")
@end
# The starter runs these in its own control group, where neither the fence nor the job's end reaches them, and so it does what brings a person into a job.
JOB_EXECUTION_TRANSFORM_WowOneProgram @=end
{"".join(f"  SET {name} undefined{chr(10)}" for name in BESIDE)}@end
ENABLE_SSH_TO_JOB = False
{processors}RESERVED_MEMORY = 128
RESERVED_DISK = 128
include ifexist : {tell.FILE}
include ifexist : {limits.FILE}
WOW_PAUSED = (MY.{tell.REASON} =!= undefined)
WOW_STOPPED = ($(WOW_PAUSED) && MY.{tell.FINISH} =!= true)
WOW_PAUSE_PATIENCE = {PATIENCE}
START = (NumDynamicSlots ?: 0) < {paths.JOB_ACCOUNTS} && MY.{tell.REASON} =?= undefined $({limits.WITHIN})
WANT_SUSPEND = $(WOW_STOPPED)
SUSPEND = $(WOW_STOPPED)
CONTINUE = $(WOW_STOPPED) =!= true
PREEMPT = (Activity == "Suspended" && time() - EnteredCurrentActivity > $(WOW_PAUSE_PATIENCE))
KILL = False
MachineMaxVacateTime = min({{max({{{VACATE}, TARGET.JobMaxVacateTime ?: 0}}), {LONGEST_VACATE}}})
STARTER_UPDATE_INTERVAL = {LOOK}
STARTER_ALLOW_RUNAS_OWNER = False
STARTD.FILESYSTEM_DOMAIN = slots.$(FULL_HOSTNAME)
STARTER.FILESYSTEM_DOMAIN = slots.$(FULL_HOSTNAME)
STARTER = /usr/lib/wow/node/starter
DEDICATED_EXECUTE_ACCOUNT_REGEXP = wowjob[0-9]+
include ifexist : {refused.FILE}
{accounts}"""
