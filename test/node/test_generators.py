"""The generated files say what the design asks for, and nothing secret where it can be read."""
import configparser
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import samples
from wow.condor import drop_in, mapfile, pace
from wow.config import names, users
from wow.lib import agreed, base, paths
from wow.lib.errors import WowError
from wow.seal import fence, swanctl
from wow.setup import dnsmasq, ipopd

# A network namespace of its own; without root inside a user namespace.
ALONE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]


class Ipopd(unittest.TestCase):
    def parsed(self, **changes):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read_string(ipopd.config(samples.pool(**changes)))
        return parser

    def test_all_of_the_pool_is_handed_on(self):
        config = self.parsed()
        self.assertEqual(dict(config["pool"]), {"name": "science", "subnet": "10.128.0.0/16", "secret": samples.SECRET, "open": "no",
                                                "bootstrap": "udp:203.0.113.7:4433 udp:boot.example.org:443"})
        self.assertEqual(dict(config["tap"]), {"name": "wow0"})
        self.assertEqual(config["ca"]["ticket"], "t1:hushhush")
        self.assertEqual(config["dns"]["listen"], "127.0.0.54:5354")

    def test_what_a_machine_wants_otherwise_is_handed_on(self):
        self.assertEqual(self.parsed(pool__reserved="10.128.0.1-10.128.0.9")["pool"]["reserved"], "10.128.0.1-10.128.0.9")
        config = self.parsed(udp__multicast="no", tcp__ports="8443 443", relay__rate="0", metrics__listen="[::1]:9433")
        self.assertEqual(dict(config["udp"]), {"port": "4433", "port-mapping": "yes", "multicast": "no"})
        self.assertEqual((config["tcp"]["ports"], config["relay"]["rate"], config["metrics"]["listen"]), ("8443 443", "0", "[::1]:9433"))
        usual = self.parsed()
        self.assertNotIn("offload", usual)
        self.assertEqual((usual["tcp"]["ports"], usual["relay"]["rate"], usual["udp"]["multicast"]), ("auto", "1000", "yes"))
        self.assertEqual(dict(usual["time"]), {"set": "yes"})
        self.assertEqual(self.parsed(time__ntp="192.0.2.123")["time"]["ntp"], "192.0.2.123")
        self.assertNotIn("metrics", usual)

    def test_an_open_pool_has_no_ca_and_a_capture_has_a_file(self):
        config = self.parsed(pool__open="yes", ca__certificate=None, ca__ticket=None, node__capture="yes")
        self.assertNotIn("ca", config)
        self.assertEqual(config["tap"]["capture"], paths.CAPTURE)


class Fence(unittest.TestCase):
    def test_a_certified_pool_lets_only_sealed_packets_through(self):
        text = fence.wire(samples.pool())
        accepted = [line.strip() for line in text.splitlines() if line.strip().endswith("accept") and "hook" not in line]
        self.assertEqual(accepted[:3], ["ether type arp counter accept", "ip protocol esp counter accept",
                                        "udp sport 500 udp dport 500 @th,200,8 0x20 counter accept"])
        for rule in accepted[3:-1]:
            self.assertIn("@ca", rule, "in the clear only to and from the CA")
        self.assertEqual(accepted[-1], "udp sport { 67, 68 } udp dport { 67, 68 } counter accept")

    def test_every_chain_ends_with_a_drop_and_every_hook_of_sockets_with_that_policy(self):
        for pool in (samples.pool(), samples.pool(pool__open="yes", ca__certificate=None, ca__ticket=None), samples.pool(node__role="manager"),
                     samples.pool(modules__origins="https://a.example")):
            for text in (fence.sockets(pool), fence.wire(pool)):
                for chain in text.split("  chain ")[1:]:
                    body = chain.split("}\n")[0] if "hook" in chain else chain
                    # Two hand on what they don't judge: slot_tap returns to where tap_out follows, slot_names only writes addresses.
                    returns = chain.startswith(("slot_tap", "slot_names"))
                    self.assertTrue(returns or "policy drop" in body or "jump wire" in body or "    counter drop\n  }" in chain, chain)

    def test_jobs_are_dropped_before_anything_is_accepted_on_the_physical_side(self):
        chain = fence.sockets(samples.pool()).split("chain physical_out {\n")[1]
        self.assertEqual(chain.splitlines()[0].strip(), "meta skuid 2001-2128 counter drop")

    def test_machines_of_one_network_find_each_other_by_one_group_and_the_kernel_may_say_that_it_listens_there(self):
        text = fence.sockets(samples.pool())
        inwards, outwards = (text.split(f"chain {chain} {{\n")[1].split("  }\n")[0] for chain in ("physical_in", "physical_out"))
        self.assertIn("ip daddr 239.255.87.79 udp dport 4433 counter accept", inwards)
        self.assertIn("ip6 daddr ff15::8057:4f57 udp dport 4433 counter accept", inwards)
        self.assertIn("igmp type membership-query counter accept", inwards)
        self.assertRegex(inwards, "icmpv6 type {[^}]* mld-listener-query }")
        self.assertRegex(outwards, "icmpv6 type {[^}]* mld-listener-report, mld-listener-done, mld2-listener-report }")
        self.assertIn("ip daddr { 224.0.0.22, 224.0.0.2, 239.255.87.79 } ip protocol igmp counter accept", outwards)
        self.assertNotIn("igmp", text.split("chain tap_in {\n")[1].split("chain physical_in")[0])

    def test_the_overlays_own_sockets_pass_whatever_their_ports_and_no_others(self):
        text = fence.sockets(samples.pool())
        self.assertIn("meta l4proto { tcp, udp } meta mark 0x574f57 counter accept", text.split("chain physical_out {\n")[1])
        self.assertIn("meta l4proto { tcp, udp } socket mark 0x574f57 counter accept", text.split("chain physical_in {\n")[1].split("}\n")[0])
        self.assertNotIn("574f57", text.split("chain tap_in {\n")[1].split("chain physical_in")[0])

    def test_nobody_on_the_overlay_reaches_ssh_or_the_web_page(self):
        chain = fence.sockets(samples.pool()).split("chain tap_in {\n")[1]
        self.assertEqual(chain.splitlines()[0].strip(), "tcp dport { 22, 80, 9700-9799 } counter drop")

    def test_the_web_page_is_for_computers_of_the_machine_s_own_network_and_no_job(self):
        text = fence.sockets(samples.pool())
        inwards, outwards = (text.split(f"chain {chain} {{\n")[1].split("  }\n")[0] for chain in ("physical_in", "physical_out"))
        self.assertEqual([line.strip() for line in inwards.splitlines() if " 80 " in line], ["ip saddr @near tcp dport 80 counter accept"])
        self.assertEqual([line.strip() for line in outwards.splitlines() if " 80 " in line],
                         ["ip daddr @near tcp sport 80 tcp flags & (syn | ack) != syn counter accept"])
        self.assertIn("tcp dport { 80, 9618, ", text.split("chain slot_lo {\n")[1].split("  }\n")[0])

    def test_slots_are_judged_before_the_loopback_and_the_overlay_are_open(self):
        hook = fence.sockets(samples.pool()).split("chain output {\n")[1].split("}\n")[0]
        rules = [line.strip() for line in hook.splitlines()]
        self.assertLess(rules.index('oifname "lo" meta skuid 2001-2128 goto slot_lo'), rules.index('oifname "lo" accept'))
        self.assertLess(rules.index('oifname "lo" meta mark 2001-2128 goto slot_answered'), rules.index('oifname "lo" accept'))
        self.assertLess(rules.index('oifname "wow0" meta skuid 2001-2128 jump slot_tap'), rules.index('oifname "wow0" jump tap_out'))

    def test_only_a_manager_answers_the_uncertified(self):
        self.assertNotIn("tcp sport 8443 dir out", fence.policies(samples.pool()))
        self.assertIn("src 10.128.0.0/16 dst 10.128.0.0/16 proto tcp sport 8443 dir out action allow", fence.policies(samples.pool(node__role="manager")))
        self.assertNotIn("{ 8443, 8444 }", fence.wire(samples.pool()))
        self.assertIn("{ 8443, 8444 }", fence.wire(samples.pool(node__role="manager")))

    def test_layers_go_sealed_alone_and_not_to_jobs(self):
        port = str(agreed.LAYERS_PORT)
        for role in ("manager", "worker"):
            pool = samples.pool(node__role=role)
            self.assertNotIn(port, fence.policies(pool) + fence.wire(pool))
            lines = [line for line in fence.sockets(pool).splitlines() if port in line]
            self.assertEqual(["    tcp dport { 22, 8443, 8444, 8445, 8446, 9618, 9619, 9700-9799 } counter reject with tcp reset"], lines)

    def test_origins_open_the_fence_for_one_account_and_their_ports_and_for_no_job(self):
        usual = fence.sockets(samples.pool())
        self.assertIn("  set origins { type inet_service; }\n", usual)
        text = fence.sockets(samples.pool(modules__origins="https://a.example/wow https://b.example:8443 https://c.example"))
        self.assertEqual([line.strip() for line in text.splitlines() if line not in usual.splitlines()], ["set origins { type inet_service; elements = { 443, 8443 } }"])
        self.assertEqual([line.strip() for line in text.split("chain origin_out {\n")[1].split("  }\n")[0].splitlines()],
                         ['oifname "lo" ip daddr 127.0.0.1 meta l4proto { tcp, udp } th dport 53 counter accept', 'oifname { "lo", "wow0" } counter drop',
                          "ip protocol tcp tcp dport @origins counter accept", "counter drop"])
        self.assertEqual([line.strip() for line in text.splitlines() if "sport @origins" in line], ["tcp sport @origins tcp flags & (syn | ack) != syn counter accept"])
        rules = [line.strip() for line in text.split("chain output {\n")[1].split("}\n")[0].splitlines()]
        self.assertLess(rules.index(f"meta skuid {users.ORIGIN_UID} goto origin_out"), rules.index('oifname "lo" accept'))
        self.assertFalse(paths.FIRST_JOB_UID <= users.ORIGIN_UID <= paths.LAST_JOB_UID)

    def test_block_policies_cover_all_three_directions_and_are_weaker_than_charon(self):
        lines = fence.policies(samples.pool()).splitlines()
        for direction in ("in", "out", "fwd"):
            self.assertTrue(any(f"dir {direction} action block priority 400000" in line for line in lines), direction)

    def test_an_open_pool_has_no_block_policies_and_keeps_sources_in_the_subnet(self):
        pool = samples.pool(pool__open="yes", ca__certificate=None, ca__ticket=None)
        self.assertEqual(fence.policies(pool), "")
        self.assertIn("ip saddr 10.128.0.0/16 ip daddr 10.128.0.0/16 counter accept", fence.wire(pool))
        self.assertNotIn("esp", fence.wire(pool) + fence.sockets(pool))

    def test_what_opens_for_enrolment_closes_again(self):
        opened = fence.open_enrolment_policies("10.128.3.4", "10.128.0.1").splitlines()
        closed = fence.close_enrolment_policies("10.128.3.4", "10.128.0.1").splitlines()
        self.assertEqual([line.split(" action ")[0].replace("update", "delete") for line in opened], closed)
        self.assertEqual(len(opened), 4)
        self.assertEqual(fence.close_enrolment().count("flush set"), 2)

    def test_nftables_takes_every_form_of_it(self):
        nft = shutil.which("nft", path="/usr/sbin:/usr/bin:/sbin")
        self.assertIsNotNone(nft, "install nftables")
        for pool in (samples.pool(), samples.pool(node__role="manager"), samples.pool(pool__open="yes", ca__certificate=None, ca__ticket=None),
                     samples.pool(modules__origins="https://a.example https://b.example:8443/x")):
            text = fence.sockets(pool).replace('"dnsmasq"', '"daemon"') + fence.own_address("10.128.3.4") + fence.origin_ports({443, 8444}) + fence.origin_ports(set())
            done = subprocess.run([*ALONE, nft, "-c", "-f", "-"], input=text, text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            wire = fence.wire(pool) + "flush set netdev wow_wire ca\nadd element netdev wow_wire ca { 10.128.0.1 }\n"
            done = subprocess.run([*ALONE, "sh", "-c", f"ip tuntap add wow0 mode tap && {nft} -f -"], input=wire, text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            batch = fence.policies(pool) + fence.open_enrolment_policies("10.128.3.4", "10.128.0.1") + fence.close_enrolment_policies("10.128.3.4", "10.128.0.1")
            done = subprocess.run([*ALONE, "ip", "-batch", "-"], input=batch, text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Swanctl(unittest.TestCase):
    def test_the_address_and_subnet_stand_where_they_bind(self):
        text = swanctl.config("10.128.3.4", "10.128.0.0/16")
        for line in ("local_addrs = 10.128.3.4", "remote_addrs = 10.128.0.0/16", "id = 10.128.3.4", "local_ts = 10.128.3.4/32", "reqid = 77",
                     "mode = transport", "mobike = no", "encap = no", "remote_ts = dynamic", "start_action = trap"):
            self.assertIn(line, text)
        self.assertEqual(text.count("{"), text.count("}"))


class Condor(unittest.TestCase):
    def test_a_worker_runs_and_submits_and_a_manager_does_neither(self):
        self.assertIn("DAEMON_LIST = MASTER, SCHEDD, STARTD\n", drop_in.config(samples.pool(), "10.128.3.4", "alpha"))
        text = drop_in.config(samples.pool(node__role="manager"), "10.128.0.1", "manager")
        self.assertNotIn("DAEMON_LIST", text)
        self.assertIn('"@node.science.internal"', text)

    def test_the_pool_s_administrators_may_change_shares_at_a_manager_and_nowhere_else(self):
        role = {"node__role": "manager"}
        for pool, host, expected in ((samples.pool(**role), "manager", True), (samples.pool(), "alpha", False)):
            text = drop_in.config(pool, "10.128.0.1", host, ["carol", "dave"])
            self.assertEqual(expected, "\nNEGOTIATOR.ALLOW_ADMINISTRATOR = root@$(UID_DOMAIN)/$(IP_ADDRESS), condor@$(UID_DOMAIN)/$(IP_ADDRESS), "
                                       "carol@$(UID_DOMAIN)/$(IP_ADDRESS), dave@$(UID_DOMAIN)/$(IP_ADDRESS)\n" in text)
            self.assertNotIn("carol", text.replace("\nNEGOTIATOR.ALLOW_ADMINISTRATOR", "\0").partition("\0")[0])

    def test_a_login_machine_has_a_queue_like_a_workers_and_nothing_of_slots(self):
        worker, login = self.settings(), self.settings(node__role="login")
        self.assertEqual("MASTER, SCHEDD", login["DAEMON_LIST"])
        ours = {key: value for key, value in worker.items() if key in login and key != "DAEMON_LIST"}
        self.assertEqual(ours, {key: value for key, value in login.items() if key != "DAEMON_LIST"})
        self.assertIn("SUBMIT_REQUIREMENT_OwnShare", login)
        gone = worker.keys() - login.keys()
        self.assertIn("SLOT1_1_USER", gone)
        self.assertLessEqual({"START", "EXECUTE", "STARTER", "STARTER_ALLOW_RUNAS_OWNER"}, gone)

    def test_names_follow_the_certificate(self):
        text = drop_in.config(samples.pool(), "10.128.3.4", "alpha")
        for line in ("NETWORK_HOSTNAME = alpha.science.internal", "NETWORK_INTERFACE = 10.128.3.4", "include : /run/wow/condor-managers.conf",
                     "STARTER_ALLOW_RUNAS_OWNER = False", "SLOT1_128_USER = wowjob128"):
            self.assertIn(line + "\n", text)

    def settings(self, **changes):
        text = drop_in.config(samples.pool(**changes), "10.128.3.4", "alpha")
        return dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)

    def test_who_reads_with_a_timeout_of_one_second_waits_a_whole_one(self):
        # Whole seconds, of which the first may be almost over. A schedd's answers come over lines of all kinds.
        self.assertGreaterEqual(int(self.settings()["SCHEDD_TIMEOUT_MULTIPLIER"]), 3)
        self.assertGreaterEqual(int(self.settings(node__role="manager")["COLLECTOR_TIMEOUT_MULTIPLIER"]), 2)

    def test_a_schedd_and_the_negotiator_never_wait_for_each_other(self):
        self.assertEqual("False", self.settings()["SCHEDD_SEND_RESCHEDULE"])
        manager = self.settings(node__role="manager")
        self.assertLessEqual(int(manager["NEGOTIATOR_INTERVAL"]), 5, "nobody else begins a cycle when a job is new")
        self.assertLessEqual(int(manager["NEGOTIATOR_TIMEOUT"]), 10)

    def test_what_nobody_reads_does_not_grow_in_the_memory_that_logs_are(self):
        text = drop_in.config(samples.pool(), "10.128.3.4", "alpha")
        self.assertIn("\nSTARTD_HISTORY =\n", text)
        # With no name at all the shadow stays the user condor after a job's first file.
        self.assertIn("\nFILE_TRANSFER_STATS_LOG = /dev/null\n", text)

    def test_a_job_that_says_nothing_of_disk_has_some_beside_its_program(self):
        self.assertEqual("DiskUsage + 262144", self.settings(node__role="login")["JOB_DEFAULT_REQUESTDISK"])

    def test_a_claim_that_its_schedd_forgot_is_found_within_half_a_minute(self):
        settings = self.settings()
        self.assertLessEqual(int(settings.get("MAX_CLAIM_ALIVES_MISSED", 6)) * int(settings["ALIVE_INTERVAL"]) / 3, 30)

    def test_the_map_tells_managers_from_workers_and_from_strangers(self):
        import re
        rules = [line.split(" ", 2) for line in mapfile.text(samples.pool()).splitlines()]
        def mapped(method, subject):
            for kind, pattern, name in rules:
                match = re.search(pattern[1:-1].replace("\\/", "/"), subject) if kind == method else None
                if match:
                    return match.expand(name) if match.groups() else name
            return None
        self.assertEqual(mapped("SSL", "/O=science/OU=worker/CN=alpha"), "alpha@node.science.internal")
        self.assertEqual(mapped("SSL", "/O=science/OU=manager/CN=manager"), "manager@pool.science.internal")
        self.assertEqual(mapped("FS", "alice"), "alice")
        self.assertEqual(mapped("FS", "wowjob17"), "job@slot.science.internal")
        for stranger in ("/O=other/OU=manager/CN=m", "/O=science/OU=worker/CN=a/CN=b", "/O=science/OU=worker/OU=manager/CN=x", "/CN=x/O=science/OU=worker/CN=a",
                         "/O=science/OU=worker/CN=a.b"):
            self.assertIsNone(mapped("SSL", stranger))

    def test_an_open_pool_has_no_certificates(self):
        text = drop_in.config(samples.pool(pool__open="yes", ca__certificate=None, ca__ticket=None), "10.128.3.4", "alpha")
        self.assertNotIn("SSL", text)

    def test_a_person_is_of_one_machine(self):
        self.assertEqual("alpha.science.internal", self.settings()["UID_DOMAIN"])
        self.assertEqual("$(LOCAL_USERS)", self.settings()["ALLOW_READ"])
        self.assertEqual("*", self.settings(node__role="manager")["COLLECTOR.ALLOW_READ"])

    def test_a_worker_that_is_called_condor_is_not_believed_like_the_managers_own_daemons(self):
        required = self.settings(node__role="manager")["COLLECTOR_REQUIREMENTS"]
        self.assertNotIn("^condor@", required)
        self.assertIn('AuthenticatedIdentity =?= "condor@$(UID_DOMAIN)"', required)

    def test_a_machine_s_ad_is_none_of_a_negotiator_for_who_asks_by_type(self):
        required = self.settings(node__role="manager")["COLLECTOR_REQUIREMENTS"]
        self.assertIn('&& member(MyType, {"Machine", "StartD", "Scheduler", "Submitter", "DaemonMaster"}) &&', required)
        self.assertIn('&& evalInEachContext(unparse(MyType), {TARGET})[0] =?= strcat("\\"", MyType, "\\"") &&', required)

    def test_a_job_has_the_time_to_save_that_it_asks_for_two_minutes_at_most(self):
        self.assertEqual("min({max({20, TARGET.JobMaxVacateTime ?: 0}), 120})", self.settings()["MachineMaxVacateTime"])

    def test_nothing_of_a_job_is_copied_into_its_slot_s_ad_and_no_job_asks_for_a_whole_machine(self):
        settings = self.settings()
        self.assertIn("\nSYSTEM_STARTD_JOB_ATTRS =\n", drop_in.config(samples.pool(), "10.128.3.4", "alpha"))
        self.assertEqual("WorkingCM =?= undefined", settings["SUBMIT_REQUIREMENT_PartOfMachine"])
        self.assertIn("PartOfMachine", settings["SUBMIT_REQUIREMENT_NAMES"].split(", "))
        self.assertIn("WorkingCM", settings["IMMUTABLE_JOB_ATTRS"].split(", "))

    def test_where_a_job_runs_is_the_schedd_s_word_alone(self):
        settings = self.settings()
        # What is immutable or secure the schedd itself could not write.
        own = settings["PROTECTED_JOB_ATTRS"].split(", ")
        self.assertEqual({"PublicClaimId", "LastPublicClaimId", "RemoteHost"}, set(own))
        self.assertFalse({*settings["IMMUTABLE_JOB_ATTRS"].split(", "), *settings.get("SECURE_JOB_ATTRS", "").split(", ")}.intersection(own))
        self.assertIn("OwnPlace", settings["SUBMIT_REQUIREMENT_NAMES"].split(", "))
        self.assertEqual({f"{name} =?= undefined" for name in own}, set(settings["SUBMIT_REQUIREMENT_OwnPlace"].split(" && ")))

    def test_who_only_claims_a_name_gets_none_that_may_do_something(self):
        changes = {"pool__open": "yes", "ca__certificate": None, "ca__ticket": None}
        self.assertIn("CLAIMTOBE /.*/ anybody@claimed.science.internal\n", mapfile.text(samples.pool(**changes)))
        settings = self.settings(**changes)
        for level in ("WRITE", "DAEMON", "ADMINISTRATOR"):
            self.assertEqual("FS", settings[f"SEC_{level}_AUTHENTICATION_METHODS"])
            self.assertNotIn("claimed", settings[f"ALLOW_{level}"])

    def test_there_are_no_more_slots_than_accounts_and_each_has_its_own(self):
        settings = self.settings()
        self.assertEqual(f"(NumDynamicSlots ?: 0) < {paths.JOB_ACCOUNTS} && MY.WowPauseReason =?= undefined $(WOW_WITHIN)", settings["START"])
        accounts = [settings[f"SLOT1_{number}_USER"] for number in range(1, paths.JOB_ACCOUNTS + 1)]
        self.assertEqual(len(set(accounts)), paths.JOB_ACCOUNTS)

    def test_jobs_have_as_many_processors_as_pool_conf_gives_them(self):
        self.assertNotIn("NUM_CPUS", self.settings())
        settings = self.settings(jobs__processors="3")
        self.assertEqual(("min({3, $(DETECTED_CPUS_LIMIT)})", "$INT(WOW_PROCESSORS)"), (settings["WOW_PROCESSORS"], settings["NUM_CPUS"]))

    def test_what_starts_as_starter_is_ours_and_the_unit_lets_it_have_its_namespace(self):
        program = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root" / self.settings()["STARTER"].lstrip("/")
        self.assertTrue(os.access(program, os.X_OK))
        self.assertNotIn("USER_JOB_WRAPPER", self.settings(), "each job would wait for one more program; what it is for, the starter does")
        unit = (program.parents[2] / "systemd/system/condor.service.d/wow.conf").read_text(encoding="ascii")
        self.assertIn("RestrictNamespaces=mnt ipc\n", unit)

    def test_the_negotiator_takes_no_claim_from_anybody(self):
        self.assertEqual("False", self.settings(node__role="manager")["NEGOTIATOR_CONSIDER_PREEMPTION"], "it sees what drained machines still give")

    def test_a_job_that_has_more_disk_than_it_asked_for_is_held_by_its_queue_alone_and_told_in_a_sentence(self):
        settings = self.settings()
        self.assertEqual("104", settings["SYSTEM_PERIODIC_HOLD_WowDisk_SUBCODE"])
        self.assertIn("DiskProvisioned, \" KB and \"", settings["SYSTEM_PERIODIC_HOLD_WowDisk_REASON"])
        self.assertTrue(settings["SYSTEM_PERIODIC_HOLD_WowDisk"].startswith("JobStatus != 1 && ((DiskUsage > DiskProvisioned ||"))
        self.assertFalse({"WANT_HOLD", "WOW_DISK_EXCEEDED"} & set(settings), "where both hold it in one moment it stands still")
        self.assertNotIn("Disk", settings["PREEMPT"])
        self.assertIn("SYSTEM_PERIODIC_HOLD_WowDisk", self.settings(node__role="login"), "a machine without slots has a queue, too")

    def test_a_job_s_own_program_alone_is_run(self):
        settings, text = self.settings(), drop_in.config(samples.pool(), "10.128.3.4", "alpha")
        self.assertIn("WowOneProgram", settings["JOB_EXECUTION_TRANSFORM_NAMES"])
        for name in drop_in.BESIDE:
            self.assertIn(f"\n  SET {name} undefined\n", text)
            self.assertIn(f"{name} =?= undefined", settings["SUBMIT_REQUIREMENT_OneProgram"])
        self.assertEqual(("False", "False"), (settings["ENABLE_SSH_TO_JOB"], settings["ENABLE_URL_TRANSFERS"]), "plugins of a job's own are programs, too")

    def test_a_machine_that_runs_a_job_gets_no_more_of_its_person_s_files_than_the_job_s_folder(self):
        settings, text = self.settings(node__role="login"), drop_in.config(samples.pool(node__role="login"), "10.128.3.4", "alpha")
        self.assertIn("OwnFiles", settings["SUBMIT_REQUIREMENT_NAMES"].split(", "))
        self.assertEqual("(WantIOProxy ?: false) =?= false && (WantRemoteUpdates ?: false) =?= false", settings["SUBMIT_REQUIREMENT_OwnFiles"])
        self.assertLessEqual({"WantIOProxy", "WantRemoteUpdates"}, set(settings["IMMUTABLE_JOB_ATTRS"].split(", ")))
        self.assertIn("WowStreams", settings["JOB_TRANSFORM_NAMES"])
        streams = " || ".join(f"({name} ?: false) =!= false" for name in ("StreamIn", "StreamOut", "StreamErr"))
        self.assertIn(f"\nJOB_TRANSFORM_WowStreams @=end\n  REQUIREMENTS {streams}\n  DEFAULT LimitDirectoryAccess Iwd\n@end\n", text)
        program = pathlib.Path(__file__).resolve().parents[2] / "appliance/node/root" / settings["SHADOW"].lstrip("/")
        self.assertTrue(os.access(program, os.X_OK))
        # What the kernel does of it is for test/pool.
        self.assertIn("setpriv --landlock-access fs:make-sym,refer --landlock-rule path-beneath:refer:/var/lib/condor/spool /usr/sbin/condor_shadow", program.read_text())

    def test_every_requirement_of_a_job_says_why_it_refuses(self):
        settings = self.settings()
        for name in settings["SUBMIT_REQUIREMENT_NAMES"].split(", "):
            self.assertIn(f"SUBMIT_REQUIREMENT_{name}", settings)
            self.assertRegex(settings[f"SUBMIT_REQUIREMENT_{name}_REASON"], '^".{30,}"$')

    def test_all_of_a_machines_logs_are_a_few_megabytes(self):
        settings = self.settings()
        kilobytes = int(settings["MAX_DEFAULT_LOG"].removesuffix(" Kb")) * (1 + int(settings["MAX_NUM_DEFAULT_LOG"]))
        self.assertLessEqual(kilobytes * 10, 5120, "of ten daemons and starters together")


class Pace(unittest.TestCase):
    def test_what_nobody_reads_of_a_machine_is_not_sent(self):
        text = drop_in.config(samples.pool(), "10.128.0.2", "alpha")
        for line in ("SCHEDD.STATISTICS_TO_PUBLISH = NONE", "ENABLE_STARTD_DAEMON_AD = False"):
            self.assertIn(f"\n{line}\n", text)

    def test_ads_come_the_more_seldom_the_more_slots_there_are(self):
        self.assertEqual([30, 30, 60, 120, 300], [pace.interval(slots) for slots in (0, 10, 11, 50, 51)])

    def test_an_ad_outlives_the_wait_for_the_next_one_and_a_silent_manager_changes_nothing(self):
        for seconds in (30, 300):
            text = pace.config(seconds, {"WowBoot": "7"})
            self.assertEqual(seconds, pace.kept(text))
            lifetime = next(int(line.split(" = ")[1]) for line in text.splitlines() if line.startswith("ClassAdLifetime"))
            self.assertGreaterEqual(lifetime, 3 * seconds)
        self.assertEqual(30, pace.kept(""))

    def test_the_queues_ad_says_whose_the_machine_is_where_that_is_known(self):
        self.assertIn("SCHEDD_ATTRS = $(SCHEDD_ATTRS) ClassAdLifetime WowOwner\n", pace.config(30, {"WowOwner": '"Ada"'}))
        self.assertIn("SCHEDD_ATTRS = $(SCHEDD_ATTRS) ClassAdLifetime\n", pace.config(30, {"WowBoot": "7"}))

    def test_what_is_known_of_the_machine_stands_in_its_ad(self):
        status = {"manager": "10.128.0.1", "nat": {"kind": "one-mapping"}}
        known = pace.machine_ad(samples.pool(node__owner="Ada of lab 3"), status, [{"address": "10.128.0.1", "path": "relay"}], "/nowhere")
        self.assertEqual(('"Ada of lab 3"', '"one-mapping"', '"relay"'), (known["WowOwner"], known["WowNat"], known["WowPathToManager"]))
        self.assertNotIn("WowStack", known)
        less = pace.machine_ad(samples.pool(), status, [], "/nowhere")
        self.assertEqual({"WowVersion", "WowNat", "WowBoot"}, set(less))

    def test_layers_are_named_by_their_digests_and_modules_by_their_names(self):
        text = f"# kind name file size sha256; bottom first\nbase base b.squashfs 1 {'ab' * 32}\nnode node n.squashfs 2 {'cd' * 32}\n"
        self.assertEqual("abababab.cdcdcdcd", pace.digest(text))
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as stack:
            stack.write(text + "".join(f"{kind} {name} x 1 {'ef' * 32}\n" for kind, name in (("module", "maths"), ("module", "waves"), ("glue", "glue"))))
            stack.flush()
            known = pace.machine_ad(samples.pool(), {"manager": "", "nat": {"kind": ""}}, [], stack.name)
            with tempfile.NamedTemporaryFile("w", encoding="ascii") as chosen, mock.patch.object(base, "CHOSEN", chosen.name):
                chosen.write("modules=waves\nabsent=\nstacked=waves\n")
                chosen.flush()
                fewer = pace.machine_ad(samples.pool(), {"manager": "", "nat": {"kind": ""}}, [], stack.name)
        # A job that asks for a module must not come to a machine that left it out.
        self.assertEqual('"waves"', fewer["WowModules"])
        self.assertEqual(('"maths,waves"', '"abababab.cdcdcdcd.efefefef.efefefef.efefefef"'), (known["WowModules"], known["WowStack"]))

    def test_an_owner_can_be_no_classad_and_no_markup(self):
        for owner in ('a"; Rank = 1; b = "', "<b>x</b>", "a\\", "x" * 65, "a;b", "$(SECRET)"):
            with self.assertRaises(WowError) as caught:
                samples.pool(node__owner=owner)
            self.assertEqual("[node] owner", caught.exception.key)


class Names(unittest.TestCase):
    def test_dnsmasq_sends_the_zone_both_ways_to_ipopd(self):
        text = dnsmasq.config(samples.pool())
        self.assertIn("server=/science.internal/127.0.0.54#5354\n", text)
        self.assertIn("rev-server=10.128.0.0/16,127.0.0.54#5354\n", text)
        self.assertIn("listen-address=127.0.0.1\n", text)

    def test_hosts_knows_the_machine_itself(self):
        self.assertEqual(names.hosts(), "127.0.0.1 localhost\n")
        self.assertEqual(names.hosts("science.internal", "10.128.3.4", "alpha"), "127.0.0.1 localhost\n10.128.3.4 alpha.science.internal alpha\n")
        self.assertIn("manager.science.internal", names.hosts("science.internal", "10.128.0.1", "boss", True))
        self.assertEqual(names.default_host("10.128.3.4"), "w-10-128-3-4")


class Users(unittest.TestCase):
    BASE = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/usr/sbin/nologin\n"

    def test_people_and_jobs_are_added_without_passwords(self):
        passwd, group, shadow = users.add(self.BASE, "root:x:0:\n", "root:!:19000::::::\n", {"alice": 1000})
        self.assertIn("alice:x:1000:1000::/home/alice:/bin/bash\n", passwd)
        self.assertIn("wow:x:990:alice\nwow-admin:x:987:\n", group)
        self.assertIn("wow-admin:x:987:bob\n", users.add(self.BASE, "", "", {"alice": 1000, "bob": 1001}, ["bob"])[1])
        self.assertEqual(len(passwd.splitlines()), 2 + 1 + 128)
        for line in shadow.splitlines()[1:]:
            self.assertEqual(line.split(":")[1], "*", "a password that nothing matches")
        jobs = [int(line.split(":")[2]) for line in passwd.splitlines() if line.startswith("wowjob")]
        self.assertEqual((min(jobs), max(jobs)), (paths.FIRST_JOB_UID, paths.LAST_JOB_UID))

    def test_numbers_stay_when_people_come_and_go(self):
        first = users.numbers("", ["bob", "alice"], {})
        self.assertEqual(first, {"alice": 1000, "bob": 1001})
        again = users.numbers("alice 1000\nbob 1001\n", ["carol", "bob"], {"bob": 1001})
        self.assertEqual(again, {"alice": 1000, "bob": 1001, "carol": 1002})
        self.assertEqual(users.numbers("alice 1000\nbob 1000\n", ["carol"], {"alice": 1001, "bob": 1003}), {"alice": 1001, "bob": 1003, "carol": 1004})

    def test_accounts_of_the_system_cannot_be_taken(self):
        system, free = ["root", "daemon", "wowjob1", "wowjob4000", "wow", "wow-admin", "wow-web"], ["alice", "wowser", "wowjob", "wowjobs", "wowjob-lee", "wowjob1x"]
        people, _, _ = users.add(self.BASE, "", "", {"alice": 1000})
        for passwd in (self.BASE, people):
            self.assertEqual(users.of_the_system(passwd, [*system, *free]), system)
