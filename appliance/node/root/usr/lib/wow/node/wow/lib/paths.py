"""Where things stand in the guest (docs/reference/machine.md, "Files")."""
from wow.lib import agreed

STATE, RUN, DISK = agreed.STATE, agreed.RUN, agreed.DISK
# The pool's certificate authority, on the machine that has it.
AUTHORITY = f"{STATE}/ca"
# Why it ended last, beside the socket where administrators ask it: for those of them whom nobody answers there.
AUTHORITY_TROUBLE = f"{agreed.WOW_CA}/trouble"
SOCKET = f"{RUN}/ipopd.sock"
AGENT = f"{RUN}/agent.sock"
# The pool that the machine left and can join again (setup/former.py).
LEFT_POOL = f"{RUN}/left"
IPOPD_CONF = f"{RUN}/ipopd.conf"
CAPTURE = f"{STATE}/capture/{agreed.TAP_NAME}.pcap"
TAP, DNS_HOST, DNS_PORT = agreed.TAP_NAME, agreed.DNS_HOST, agreed.DNS_PORT
CA_PORT, POSSESSION_PORT = agreed.CA_PORT, agreed.POSSESSION_PORT

# HTCondor's ports: the one that all its daemons share, and those that a daemon opens beside it for its own machine.
CONDOR_PORT = agreed.CONDOR_PORT
DAEMON_PORTS = (9700, 9799)
# Where a manager hands out the pool's figures and history (history/server.py).
HISTORY_PORT = agreed.HISTORY_PORT
# The web page, on the machine's own network (web/server.py).
PAGE_PORT = 80
QUEUE_AD = f"{RUN}/queue.ad"
# Where a manager leaves what the pool page shows, and is asked for it anew (history/page.py).
POOL_PAGE, POOL_SOCKET = f"{RUN}/pool/page.json", f"{RUN}/pool/page.sock"
# For whom each slot's account runs a job (slots/begun.py, slots/running.py).
BEGUN = f"{RUN}/begun"

# The account of wow-origin@, which alone calls origins (stack/tls.py); origins that are named, a line each; where wow-stack asks it.
ORIGIN_UID = 986
ORIGINS, ORIGIN_SOCKET = f"{RUN}/origins", f"{RUN}/origin.sock"
# A line `ORIGIN WHY` of each that the last run of wow-stack left, for the doctor.
ORIGINS_LEFT = f"{RUN}/origins.left"
# Bytes sent and received that wow-stack had from origins since this start (stack/lent.py).
BESIDE = f"{RUN}/origins.carried"

# Accounts that jobs run in: one a slot, and no more slots than these. No person's number is in this range, and the fence knows it.
JOB_ACCOUNTS = 128
FIRST_JOB_UID = 2001
LAST_JOB_UID = FIRST_JOB_UID + JOB_ACCOUNTS - 1
