"""What [statoverride] of a recipe says, in mksquashfs's words: each user and group must be one that the base knows, and rights must be meant."""

import recipe  # noqa: F401 # it knows where the library is

from wow.module.statoverride import RecipeError

SET_USER, SET_GROUP = 0o4000, 0o2000


def numbers(text):
    """{name: number} of /etc/passwd or /etc/group."""
    rows = [line.split(":") for line in text.splitlines() if line.count(":") >= 2]
    return {row[0]: int(row[2]) for row in rows}


def pseudo(entries, held, overrides, users, groups, where):
    """The lines by which mksquashfs sets them (`-pf`, kind m). held: what the module has, {path: kind}; overrides: paths for which the recipe says so;
    users, groups: the base's, by name."""
    lines = []
    for path, user, group, mode in entries:
        kind, here = held.get(path), f"{where} [statoverride] /{path}"
        if kind not in ("-", "d"):
            raise RecipeError(f"{here}: " + ("is a link, which has no owner and mode of its own; name what it points to" if kind else
                                             "the module's root/ has no such file or folder; put it there, or take the line off"))
        for name, known, what, list_ in ((user, users, "user", "passwd"), (group, groups, "group", "group")):
            if name not in known:
                raise RecipeError(f"{here}: the base has no {what} {name}; take one of its /etc/{list_}: {', '.join(known)}")
        gains = "set-uid" if mode & SET_USER else "set-gid" if mode & SET_GROUP and kind == "-" else None
        if gains and path not in overrides:
            raise RecipeError(f"{here}: {mode:04o} makes it {gains}: whoever runs it, jobs too, has {user if gains == 'set-uid' else group}'s rights. Take another "
                              f"mode; or, if that is meant, add /{path} to `override` of [module]")
        lines.append(f'"{path}" m {mode:o} {users[user]} {groups[group]}\n')
    return "".join(lines)
