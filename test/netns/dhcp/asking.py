"""dig and kdig ask ipopd's DNS over UDP and TCP; dnsperf measures, with dnsmasq beside ipopd on the same machine."""

import re
import subprocess

from guests import UDHCPC_SCRIPT
from tally import must
from waiting import until

LISTEN, PORT = "127.0.0.54", "5354"
SECONDS = 4
DNSMASQ_PORT = "5355"
DNSMASQ = ("dnsmasq", "--keep-in-foreground")


def run(tally, pool):
    """Names, then figures."""
    node = pool.nodes["boot"]
    guest = node.run("udhcpc", "-f", "-q", "-n", "-i", "wow0", "-s", UDHCPC_SCRIPT, "-t", "20", "-T", "1")
    must(node.address in guest.stdout, f"boot has no lease: {guest.stdout}")
    name, address = "boot.dhcp.internal", node.address
    for tool in ("dig", "kdig"):
        for how in ("+notcp", "+tcp"):
            with tally.case(f"{tool} {how}: A, AAAA, PTR, SRV, SOA, and what is not there"):
                def ask(*question, tool=tool, how=how):
                    return reply(node, tool, how, *question)

                must(ask(name, "A") == ("NOERROR", 1), f"A: {ask(name, 'A')}")
                must(ask(name, "AAAA") == ("NOERROR", 0), f"AAAA: {ask(name, 'AAAA')}")
                must(ask("-x", address) == ("NOERROR", 1), f"PTR: {ask('-x', address)}")
                until(lambda: ask("_condor._tcp.dhcp.internal", "SRV"), lambda got: got == ("NOERROR", 1), "the manager's service")
                must(ask("dhcp.internal", "SOA") == ("NOERROR", 1) and ask("dhcp.internal", "NS") == ("NOERROR", 1), "SOA and NS")
                must(ask("nobody.dhcp.internal", "A") == ("NXDOMAIN", 0), "NXDOMAIN")
                must(ask("example.org", "A") == ("REFUSED", 0), "REFUSED")
                must(ask(name, "ANY") == ("NOERROR", 1), "ANY")
    with tally.case("EDNS: version 1 is BADVERS, a small payload size is no harm, without EDNS there is none in the reply"):
        must(reply(node, "dig", "+notcp", "+edns=1", "+noednsneg", name, "A") == ("BADVERS", 0), "BADVERS")
        must(reply(node, "dig", "+notcp", "+bufsize=512", name, "A") == ("NOERROR", 1), "bufsize=512")
        must("OPT PSEUDOSECTION" not in raw(node, "dig", "+notcp", "+noedns", name, "A"), "OPT where none was asked for")
    with tally.case("an opcode, a class and a transfer that there are not: NOTIMP, REFUSED, REFUSED"):
        must(reply(node, "dig", "+notcp", "+opcode=status", name, "A")[0] == "NOTIMP", "opcode")
        must(reply(node, "dig", "+notcp", "-c", "CH", "version.bind", "TXT")[0] == "REFUSED", "class")
        text = raw(node, "kdig", "+tcp", "dhcp.internal", "AXFR")
        must("REFUSED" in text, f"AXFR: {text}")
    with tally.case("kdig asks several questions over one connection"):
        text = raw(node, "kdig", "+tcp", "+keepopen", name, "A", name, "AAAA", "nobody.dhcp.internal", "A")
        must(len(re.findall(r"status: ", text)) == 3 and "NXDOMAIN" in text, text)
    with tally.case("what was dropped is counted by reason"):
        text = node.ask("metrics")["text"]
        must(re.search(r'wow_dropped_packets_total\{reason="dhcp"\} \d+', text) is not None, text)
    figures(tally, node, name, address)


def figures(tally, node, name, address):
    """Queries a second, ipopd's and dnsmasq's."""
    queries = node.folder / "queries"
    queries.write_text(f"{name} A\n{name} AAAA\n{address.replace('.', '-')}.dhcp.internal A\n", encoding="ascii")
    dnsmasq = subprocess.Popen(
        node.inside(*DNSMASQ, "--conf-file=/dev/null", "--no-resolv", "--no-hosts", f"--port={DNSMASQ_PORT}", "--listen-address=127.0.0.1",
                    "--bind-interfaces", f"--address=/dhcp.internal/{address}", "--pid-file="),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: listeners(node, DNSMASQ_PORT), lambda seen: seen, "dnsmasq listens")
        for how in ("udp", "tcp"):
            with tally.case(f"dnsperf over {how}: no query is lost"):
                ours, lost = dnsperf(node, LISTEN, PORT, how, queries)
                print(f"figure: queries a second over {how}: ipopd {ours:.0f}")
                must(lost == 0 and ours > 0, f"{lost} queries lost")
            peer(node, how, queries)
    finally:
        dnsmasq.kill()
        dnsmasq.wait()


def peer(node, how, queries):
    """Prints dnsmasq's figure. That dnsperf gives up on dnsmasq (over TCP it forks for each connection; on a busy machine that was seen) is no fault of ipopd's."""
    try:
        print(f"figure: queries a second over {how}: dnsmasq {dnsperf(node, '127.0.0.1', DNSMASQ_PORT, how, queries)[0]:.0f}")
    except RuntimeError as error:
        print(f"no figure of dnsmasq over {how}: {error}")


def listeners(node, port):
    """The sockets that listen for TCP at a port, a line each."""
    return node.run("ss", "-Hltn", "sport", "=", f":{port}").stdout


def dnsperf(node, server, port, how, queries):
    """Queries a second, and how many were lost."""
    text = node.run("dnsperf", "-s", server, "-p", port, "-m", how, "-d", str(queries), "-l", str(SECONDS), "-c", "4", "-T", "1", timeout=60).stdout
    return float(re.search(r"Queries per second:\s+([\d.]+)", text).group(1)), int(re.search(r"Queries lost:\s+(\d+)", text).group(1))


def raw(node, tool, *question):
    """What the tool prints."""
    limit = ["+tries=1", "+time=5"] if tool == "dig" else ["+retry=0", "+time=5"]
    return node.run(tool, f"@{LISTEN}", "-p", PORT, *limit, *question, check=False).stdout


def reply(node, tool, *question):
    """The status of a reply, and how many answers it has."""
    text = raw(node, tool, *question)
    status, answers = re.search(r"status: (\w+)", text), re.search(r"ANSWER: (\d+)", text)
    return (status.group(1), int(answers.group(1))) if status and answers else (text, -1)
