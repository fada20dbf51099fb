"""Writes pool.conf (docs/architecture.md): the one file from which a machine knows its pool."""


def text(sections):
    """INI text of [(section, {key: value})]; a value of None leaves the key out."""
    lines = []
    for section, keys in sections:
        lines.append(f"[{section}]")
        lines += [f"{key} = {value}" for key, value in keys.items() if value is not None]
        lines.append("")
    return "\n".join(lines)


def for_machine(pool, machine, users, certificate, ticket):
    """pool.conf of one machine. pool has name, subnet, secret and bootstrap; users is {name: public key}."""
    manager = machine.role == "manager"
    keys = dict(pool)
    if manager:
        keys.pop("bootstrap", None)
    sections = [
        ("pool", keys),
        ("ca", {"certificate": certificate, "ticket": None if manager else ticket}),
        ("node", {"role": machine.role, "host": machine.name, "capture": "yes"}),
    ]
    sections += [("user:" + name, {"authorized-key": key}) for name, key in users.items()]
    return text(sections)
