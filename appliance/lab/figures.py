"""The figures that issue and docs/performance.md ask for: what was reached, and what was to be reached."""

from timeline import columns

GOALS = (
    ("base_mb", "base layer, MB", 100),
    ("dotnet_mb", "all .NET parts as a layer, MB", 15),
    ("ova_mb", "OVA, MB", 130),
    ("login_s", "power-on to login, one VM, 2 vCPU, s", 18),
    ("pool_s", "power-on to in the pool, three VMs at once, s", 75),
    ("jobs_s", "submit to the last of five jobs done, s", 15),
    ("ram_mib", "RAM used in a node's guest, idle, MiB", 130),
    ("wow_s", "`make wow`, s (cold cache: goal 600)", 300),
    ("direct_s", "direct path between alpha and beta, s", 2),
)
"""Key, what it is, and the most that it may be."""


def table(reached):
    """Lines of text: figure, reached, goal. A figure that was not measured in this run shows as -."""
    rows = [["figure", "reached", "goal"]]
    for key, title, goal in GOALS:
        value = reached.get(key)
        rows.append([title, "-" if value is None else f"{value:g}", f"<= {goal}"])
    return columns(rows)


def as_json(reached, origin):
    """{origin, figures: [{key, figure, reached, goal, met}]} for build/out/figures.json; origin says in words which commit was measured, on what."""
    return {"origin": origin, "figures": [
        {"key": key, "figure": title, "reached": reached.get(key), "goal": goal,
         "met": None if reached.get(key) is None else reached[key] <= goal} for key, title, goal in GOALS]}
