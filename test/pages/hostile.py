"""What nobody should send: codes that are wrong, foreign hosts and forms, too much and too slow; who may not get so far; parts of the machine that are away."""

import contextlib
import os
import re
import time

from asking import connect
from house import ADDRESS
from tally import must
from waiting import PROMISED, until

CALLER = """
import socket, sys
for place in sys.argv[1:]:
    try:
        socket.create_connection((place, 80), 10).close()
        print(place)
    except OSError:
        pass
"""
"""Prints of some addresses those whose page it reaches."""
ENDS = """
import socket, sys, time
sys.path[:0] = ["/usr/lib/wow/node"]
sys.path.append("/usr/lib/python3/dist-packages")
from waitress import server, wasyncore
from wow.web.server import serve
listener = socket.create_server(("127.0.0.1", 8099))
client = socket.create_connection(("127.0.0.1", 8099))
begin = time.monotonic()
client.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
serve(lambda environ, start: (start("200 OK", []), [b"x"])[1], listener, server, wasyncore, idle=1.0)
print(time.monotonic() - begin)
"""
"""The seconds after which the program's loop ends whose time without a request is one."""
NAMES = ("<b onmouseover=alert(1)>x</b>", "<script>document.title='bad'</script>", "a\u202egnp.exe", "\u2066x\u2069", "&lt;i&gt;")


def first(tally, house):
    """Before anybody has asked."""
    beta = house.beta
    with tally.case("nothing of it runs until somebody asks, and then the first byte comes; figures"):
        until(lambda: beta.sh("systemctl is-active wow-web.socket; :").strip(), lambda said: said == "active", "the socket listens")
        must(beta.sh("systemctl is-active wow-web.service; pgrep -u wow-web; :").strip() == "inactive", "it runs")
        until(lambda: beta.run("nft", "list", "set", "inet", "wow", "near").stdout, lambda said: "192.0.2.0/24" in said, "the fence knows the machine's network")
        (asleep, begun), (awake, served) = taken(house, 1), taken(house, 20)
        memory = beta.sh("awk '/^(Rss|Pss)/ { sum[$1] += $2 } END { print sum[\"Rss:\"], sum[\"Pss:\"] }' /proc/$(pgrep -u wow-web)/smaps_rollup").split()
        print(f"     first byte {asleep:.2f} s and {begun:.2f} s of a processor asleep, {awake:.3f} s and {served:.3f} s awake", flush=True)
        print(f"     memory while it runs {int(memory[0]) / 1000:.1f} MB RSS, {int(memory[1]) / 1000:.1f} MB PSS", flush=True)
        # How long it took depends on what else the machine does.
        must(0 < begun < 2 and served < 0.3, f"it takes {begun} s of a processor to begin, {served} s for a page")


def taken(house, times):
    """(seconds until the first byte, of a processor) of one of so many pages, the quickest and the mean."""
    before, least = processor(house.beta), min(first_byte(house) for _ in range(times))
    # It works on after the first byte.
    house.asker().ask("/page.css")
    return least, (processor(house.beta) - before) / times


def processor(beta):
    """Seconds of a processor that the page's program has taken since it began; 0 while there is none."""
    ticks = beta.sh("pid=$(systemctl show -P MainPID wow-web.service); [ $pid = 0 ] || cut -d ' ' -f 14,15 /proc/$pid/stat").split()
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def first_byte(house):
    """Seconds from the connection to the first byte of the page."""
    begin = time.monotonic()
    with connect(house.client, ADDRESS) as link:
        link.sendall(f"GET / HTTP/1.1\r\nHost: {ADDRESS}\r\n\r\n".encode())
        must(link.recv(1) == b"H", "no answer")
    return time.monotonic() - begin


def run(tally, house):
    """One after the other; beta has a job and is not paused."""
    fence(tally, house)
    codes(tally, house)
    forms(tally, house)
    crowds(tally, house)
    away(tally, house)


def fence(tally, house):
    """Who gets so far."""
    beta = house.beta
    own = ["127.0.0.1", ADDRESS, beta.address]
    with tally.case("no job reaches it, by whichever of the machine's addresses, where a person of the machine does"):
        must(beta.run("runuser", "-u", "wowjob1", "--", "python3", "-c", CALLER, *own).stdout == "", "a job reaches it")
        must(beta.run("runuser", "-u", "alice", "--", "python3", "-c", CALLER, *own).stdout.split() == own, "nobody reaches it")
    with tally.case("nobody of the overlay reaches it, and none of another network that reaches its ssh"):
        must(house.manager.run("python3", "-c", CALLER, beta.address).stdout == "", "the manager reaches it over the overlay")
        connect(house.far, ADDRESS, 22).close()
        try:
            connect(house.far, ADDRESS, 80, 5).close()
        except TimeoutError:
            pass
        else:
            raise AssertionError("another network reaches it")
    with tally.case("the program has no network but that socket, and ends when nobody asks any more"):
        must(beta.sh("nsenter -t $(pgrep -u wow-web) -n ip -o link | wc -l").strip() == "1", "it has a network")
        begun = PROMISED.now()
        # The server may say how many wait, before.
        lasted = float(beta.run("python3", "-c", ENDS).stdout.splitlines()[-1])
        must(lasted >= 1 and PROMISED.now() - begun < 20, f"{lasted}")
        beta.sh("systemctl stop wow-web.service")
        must(house.asker().ask()[0] == 200, "it does not begin again")


def codes(tally, house):
    """Of the login."""
    def refused(said, word):
        found, _, text = house.asker().ask("/login", {"code": said})
        must(found == 403 and word in text, f"{said}: {found} {text}")

    with tally.case("a code that is wrong, used, old or not the newest lets nobody in and says why; a login outlives the program"):
        guest, key = house.guest()
        must(key, "there is no key in the forms")
        used = house.code()
        must(house.asker().ask("/login", {"code": used})[0] == 303, "it is not taken")
        refused(used, "was used")
        refused("ABCDEFGHJK", "not the code")
        older, old = house.code(), house.code()
        refused(older, "not the code")
        house.beta.sh("read -r digest when < /run/wow/web-code; echo $digest $((${when%.*} - 600)) > /run/wow/web-code")
        refused(old, "too old")
        house.beta.sh("systemctl restart wow-web.service 2> /dev/null || :")
        must("Running now" in guest.ask()[2], "the login is forgotten")
    with tally.case("a thousand guesses: none is let in, and the right code is taken right after"):
        right = house.code()
        must({house.asker().ask("/login", {"code": f"{number:010}"})[0] for number in range(1000)} == {403}, "one was let in")
        must(house.asker().ask("/login", {"code": right})[0] == 303, "the right code is not taken")


def forms(tally, house):
    """Of hosts, forms and sizes."""
    with tally.case("a foreign Host gets nothing, this machine's names the page"):
        for host in ("evil.example", "192.0.2.12", f"{ADDRESS}:8080", "localhost.evil.example", "", "x" * 300):
            status, _, text = house.asker().ask(host=host)
            must(status in (400, 421) and "<" not in text, f"{host}: {status} {text}")
        for host in (ADDRESS, f"{ADDRESS}:80", "localhost:4480", "127.0.0.1:12345"):
            must(house.asker().ask(host=host)[0] == 200, host)
    with tally.case("a browser that is at two machines by two ports of localhost is at both"):
        one, another = house.asker(), house.asker()
        for guest, port in ((one, 4480), (another, 8080)):
            must(guest.ask("/login", {"code": house.code()}, host=f"localhost:{port}")[0] == 303, f"{port} lets nobody in")
        must(one.cookie.partition("=")[0] != another.cookie.partition("=")[0], f"the second takes the cookie of the first: {one.cookie}")
        one.cookie = f"{one.cookie}; {another.cookie}"
        for port in (4480, 8080):
            must("Log out" in one.ask(host=f"localhost:{port}")[2], f"{port} knows nobody")
    with tally.case("a form without its key, of another login, of another site or of nobody does nothing"):
        guest, key = house.guest()
        other, other_key = house.guest()
        good = {"for": "1h", "how": "now", "key": key}
        tries = [guest.ask("/pause", {**good, "key": wrong}) for wrong in ("", other_key, key[:-1], "\u00e9")] + [guest.ask("/pause", {"for": "1h", "how": "now"})]
        tries += [guest.ask("/pause", good, headers={name: value}.items()) for name, value in (
            ("Origin", "http://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"))]
        must({status for status, _, _ in tries} == {403}, f"{[one[0] for one in tries]}")
        must(house.asker().ask("/pause", good)[0] == 401, "nobody may pause")
        must([guest.ask("/pause", {**good, **wrong})[0] for wrong in ({"for": "9h"}, {"how": "x"}, {"for": "\x00"})] == [400] * 3, "there is such a pause")
        wrong = {"percent": "0", "processors": "-1", "memory": "1", "disk": "<b>", "speed": "15", "month": "0", "hours": "mon 9-9"}
        must([guest.ask("/limits", {name: value, "key": key})[0] for name, value in wrong.items()] == [400] * 7, "there is such a limit")
        must(guest.ask("/limits", {"percent": "50", "key": other_key})[0] == 403 and house.asker().ask("/limits", {"percent": "50"})[0] == 401, "anybody may limit")
        must(guest.ask("/leave", {"key": key})[0] == 400, "it leaves unasked")
        must([guest.ask(path)[0] for path in ("/pause", "/login", "/none", "/../etc/passwd", "/page.css/x")] == [405, 405, 404, 404, 404], "something else is there")
        must("Jobs stand still at once" in guest.ask()[2] and not house.frozen(), "it is paused")
        must(other.ask("/pause", {**good, "key": other_key})[0] == 303 and house.frozen(), "the right one is not taken")
        must(other.ask("/resume", {"key": other_key})[0] == 303 and not house.frozen(), "it stays paused")
    with tally.case("each answer tells the browser to take nothing from elsewhere and keep nothing"):
        for status, headers, _ in (house.asker().ask(), house.asker().ask("/none"), house.asker().ask(host="evil.example"), house.asker().ask("/page.css")):
            must("default-src 'none'" in headers["Content-Security-Policy"] and headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff", f"{status}: {headers}")
            must("Server" not in headers, f"{headers}")
    with tally.case("a form of 100 kB and a head of 100 kB are refused, and the next request is served"):
        must(raw(house, "Content-Length: 100000\r\n") == 413, "it is read")
        must(raw(house, f"X-Long: {'x' * 16384}\r\n") == 431, "it is read")
        try:
            must(house.asker().ask("/login", "code=" + "x" * 100000)[0] == 413, "it is read")
        except ConnectionError:
            pass  # Who still sends when all is said may not hear it.
        must(house.asker().ask()[0] == 200, "it is deaf")
    with tally.case("whatever somebody is called, it is text: markup and marks of direction"):
        for name in NAMES:
            house.job(name)
            until(lambda: house.guest()[0].ask()[2], lambda text, name=name: "Jobs on this machine" in text, "the job is shown")
            text = house.guest()[0].ask()[2]
            shown = re.search(r'<th scope="row"><bdi>(.*?)</bdi>', text)[1]
            must(not re.search("[<>\u202e\u2066\u2069]", shown), shown)
        house.job()


def raw(house, head):
    """The status of the answer to a form's head, before its body is sent."""
    with connect(house.client, ADDRESS) as link:
        link.sendall(f"POST /login HTTP/1.1\r\nHost: {ADDRESS}\r\n{head}\r\n".encode())
        return int(link.recv(100).split()[1])


def crowds(tally, house):
    """Of those who hold on."""
    with tally.case("of 200 connections that say nothing and one that says it byte by byte none keeps the page from others; the slow one is ended"):
        slow = connect(house.client, ADDRESS)
        slow.sendall(b"GET / HT")
        begin, silent = time.monotonic(), [connect(house.client, ADDRESS) for _ in range(200)]
        link = connect(house.client, ADDRESS)
        link.sendall(f"GET / HTTP/1.1\r\nHost: {ADDRESS}\r\nConnection: close\r\n\r\n".encode())
        link.settimeout(0.01)
        done = {}

        def look():
            if "answered" not in done:
                with contextlib.suppress(TimeoutError):
                    must(link.recv(1) == b"H", "it is not served")
                    done["answered"] = time.monotonic() - begin
            if "ended" not in done:
                try:
                    slow.sendall(b"x")
                except OSError:
                    done["ended"] = time.monotonic() - begin
            return done
        try:
            until(look, lambda found: len(found) == 2, "the one is answered and the other ended; seconds", 90, pause=0.5)
        finally:
            for one in (*silent, slow, link):
                one.close()
        print(f"     beside 200 silent connections a request is answered after {done['answered']:.0f} s, the slow one is ended after {done['ended']:.0f} s", flush=True)
        must(house.asker().ask()[0] == 200, "it is deaf")


def away(tally, house):
    """Of parts of the machine."""
    beta = house.beta
    with tally.case("the agent away: the page says so and shows the rest, and a button says that nothing was done"):
        guest, key = house.guest()
        beta.sh("systemctl stop wow-agent.socket wow-agent.service")
        try:
            text = guest.ask()[2]
            must("wow-agent does not listen" in text and "alice@alpha" in text, text)
            status, _, text = guest.ask("/pause", {"for": "1h", "how": "now", "key": key})
            must(status == 502 and "It was not done" in text, f"{status} {text}")
        finally:
            beta.sh("systemctl start wow-agent.socket")
    with tally.case("ipopd away: the page says so and shows what it has, and pause works"):
        guest, key = house.guest()
        beta.sh("systemctl stop ipopd")
        try:
            text = guest.ask()[2]
            must("ipopd, does not answer" in text and "alice@alpha" in text and "worker" in text, text)
            must(guest.ask("/pause", {"for": "open", "how": "now", "key": key})[0] == 303 and house.frozen(), "it is not paused")
            must(guest.ask("/resume", {"key": key})[0] == 303 and not house.frozen(), "it stays paused")
        finally:
            beta.sh("systemctl start ipopd")
