"""Where things stand in the guest (docs/architecture.md, "In the guest")."""

STATE = "/var/lib/wow"
RUN = "/run/wow"
DISK = "/run/wow-config"
SOCKET = f"{RUN}/ipopd.sock"
IPOPD_CONF = f"{RUN}/ipopd.conf"
CAPTURE = f"{STATE}/capture/wow0.pcap"
TAP = "wow0"
DNS_HOST, DNS_PORT = "127.0.0.54", 5354
CA_PORT, POSSESSION_PORT = 8443, 8444

# Accounts that jobs run in: one a slot. No person's number is in this range, and the fence knows it.
JOB_ACCOUNTS = 32
FIRST_JOB_UID = 2001
LAST_JOB_UID = FIRST_JOB_UID + JOB_ACCOUNTS - 1
