"""Lets people log in to the manager by their ssh key and ask the CA there, or no more, and stamps the manager's configuration anew."""

from pool.verbs import user

SUMMARY = "lets people administer the pool on its manager (add), or no more (remove)"

add = user.add


def run(given, context):
    """Changes who is in the pool's settings, then the images."""
    after = user.change(given, context, "admins", "administrator")
    context.say(f"may ask the CA: {', '.join(after) or 'nobody'}. Switch the manager off. One of an OVA: take off its third disk, the small one, never the second, which "
                "is its home with the CA; then put the new for-manager/...-config.iso into its CD drive. One of a qcow2: replace its second disk by the new "
                "for-manager/...-config.img. Start it. Don't start another manager from the new .ova")
    context.tell({"admins": after})
