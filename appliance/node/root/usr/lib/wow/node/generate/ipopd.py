"""ipopd.conf. The daemon's own ipopd.conf says what each key means."""
from generate import paths


def config(pool):
    """The file's text. It holds the pool's secret and the ticket: 0600."""
    sections = [
        ("node", [("state", paths.STATE), ("host", pool.host)]),
        ("pool", [("name", pool.name), ("subnet", pool.subnet), ("reserved", pool.reserved), ("secret", pool.secret), ("bootstrap", " ".join(pool.bootstrap)),
                  ("open", "yes" if pool.open else "no")]),
        ("tap", [("name", paths.TAP), ("mtu", 1280), ("capture", paths.CAPTURE if pool.capture else None)]),
        ("udp", [("port", pool.port), ("port-mapping", pool.port_mapping), ("multicast", pool.multicast)]),
        ("tcp", [("ports", pool.tcp_ports)]),
        ("relay", [("rate", pool.relay_rate)]),
        ("time", [("set", "yes"), ("ntp", pool.ntp)]),
        ("metrics", [("listen", pool.metrics)]),
        ("control", [("socket", paths.SOCKET)]),
        ("dns", [("listen", f"{paths.DNS_HOST}:{paths.DNS_PORT}")]),
    ]
    if not pool.open:
        sections.append(("ca", [("port", paths.CA_PORT), ("possession-port", paths.POSSESSION_PORT), ("ticket", pool.ticket)]))
    return "\n".join(section for section in (_section(name, keys) for name, keys in sections) if section)


def _section(name, keys):
    if all(value in (None, "") for _, value in keys):
        return ""
    return f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys if value not in (None, ""))
