"""ipopd.conf. What both files have is handed on from pool.conf; the rest is this machine's."""
from wow.config import keys
from wow.config.poolconf import Pool
from wow.lib import paths


def config(pool: Pool) -> str:
    """The file's text. It holds the pool's secret and the ticket: 0600."""
    values = pool.values | {
        ("node", "state"): paths.STATE, ("tap", "name"): paths.TAP, ("tap", "capture"): paths.CAPTURE if pool.capture else "",
        ("udp", "port"): str(pool.port), ("time", "set"): "yes", ("control", "socket"): paths.SOCKET,
        ("dns", "listen"): f"{paths.DNS_HOST}:{paths.DNS_PORT}"}
    return "\n".join(text for text in (_section(section, [(key, values.get((section, key), "")) for key in known]) for section, known in keys.IPOPD.items()) if text)


def _section(name: str, values: list[tuple[str, str]]) -> str:
    """What has no value is left out, and a section without any."""
    lines = [f"{key} = {value}\n" for key, value in values if value]
    return f"[{name}]\n" + "".join(lines) if lines else ""
