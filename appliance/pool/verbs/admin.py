"""Lets people log in to the managers by their ssh key and ask the CA on the first, or no more, and stamps the managers' configuration anew."""

from pool.verbs import user

SUMMARY = "lets people administer the pool on its managers (add), or no more (remove)"

add = user.add


def run(given, context):
    """Changes who is in the pool's settings, then the images."""
    user.change(given, context, "admins", "administrator", told)


def told(after, settings):
    """What is left to do."""
    others = [f"for-manager-{one['host']}" for one in settings.managers]
    return (f"may ask the CA: {', '.join(after) or 'nobody'}. Switch the manager off. One of an OVA: take off its third disk, the small one, never the second, which "
            "is its home with the CA; then put the new for-manager/...-config.iso into its CD drive. One of a qcow2: replace its second disk by the new "
            "for-manager/...-config.img. Start it. Don't start another manager from the new .ova"
            + (f". Then the same for the other managers, one at a time, from {', '.join(others)}" if others else ""))
