"""ICMP echo from a guest: the image has no ping."""

import rootshell

_SCRIPT = """python3 -I -S - {address} {count} <<'END'
import os, socket, struct, sys, time
address, count = sys.argv[1], int(sys.argv[2])
def carry(total):
    return carry((total >> 16) + (total & 65535)) if total >> 16 else total
answered = 0
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as link:
    link.settimeout(3)
    for number in range(count):
        body = struct.pack("!HH", os.getpid() & 65535, number) + os.urandom(32)
        total = carry(0x0800 + sum(struct.unpack("!%dH" % (len(body) // 2), body)))
        link.sendto(struct.pack("!BBH", 8, 0, ~total & 65535) + body, (address, 0))
        limit = time.monotonic() + 3
        try:
            while time.monotonic() < limit:
                heard, (source, _) = link.recvfrom(2048)
                packet = heard[(heard[0] & 15) * 4:]
                if source == address and packet[0] == 0 and packet[4:] == body:
                    answered += 1
                    break
        except OSError:
            pass
        if not answered and number == 2:
            break
        time.sleep(0.02)
print(answered)
END"""


def answers(name, address, count=1):
    """How many of a machine's echoes to an address are answered; after three in vain it stops."""
    code, said = rootshell.ask(name, _SCRIPT.format(address=address, count=count), 60 + 4 * count)
    return int(said.splitlines()[-1]) if code == 0 else 0
