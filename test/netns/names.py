"""dig asks ipopd's DNS."""

from clients import dig
from tally import must
from waiting import until


def run(tally, world):
    """Names of the pool from everywhere."""
    for asker in (world.one, world.sym):
        with tally.case(f"{asker.name} finds every host by name, by address-name and in reverse"):
            for node in world.pool():
                address = node.address
                until(lambda node=node: dig(asker, f"{node.name}.netns.internal", "A"), lambda got, address=address: got == ("NOERROR", [address]),
                      f"{asker.name} finds {node.name}.netns.internal = {address}")
                dashed = address.replace(".", "-")
                must(dig(asker, f"{dashed}.netns.internal", "A") == ("NOERROR", [address]), f"{dashed}.netns.internal is not {address}")

                # Without certificates any machine could claim any name, so the reverse is the name that follows from the address, but for one's own.
                status, reverse = dig(asker, "-x", address)
                must(status == "NOERROR" and reverse in ([f"{dashed}.netns.internal."], [f"{asker.name}.netns.internal."]), f"reverse of {address}: {reverse}")
                must(dig(asker, reverse[0], "A") == ("NOERROR", [address]), f"{reverse[0]} is not {address}")

    with tally.case("manager.netns.internal is the first node"):
        until(lambda: dig(world.two, "manager.netns.internal", "A"), lambda got: got == ("NOERROR", [world.boot.address]), "the manager by name")

    with tally.case("the control socket resolves the same names"):
        for name, address in (("manager", world.boot.address), ("two", world.two.address), ("two.netns.internal", world.two.address)):
            reply = world.one.ask("resolve", name=name)
            must(reply == {"ok": True, "address": address}, f"resolve {name}: {reply}")

    with tally.case("an unknown host is NXDOMAIN, another zone is REFUSED"):
        must(dig(world.one, "nobody.netns.internal", "A")[0] == "NXDOMAIN", "nobody.netns.internal")
        must(dig(world.one, "example.org", "A")[0] == "REFUSED", "example.org")
        must(dig(world.one, "-x", "8.8.8.8")[0] == "REFUSED", "reverse of 8.8.8.8")
