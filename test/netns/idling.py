"""What ipopd costs while nobody sends anything."""

import time

import usage
from carrying import Pair
from tally import must

SETTLE = 10
SPAN = 10

# Five times what a quiet machine shows, as every limit here, and more for the processor, whose clock ticks every 10 ms: two wake-ups a second, 0.2 %.
MOST_WAKES = 10
MOST_PROCESSOR = 0.02


def run(tally, program, figures):
    """A node with one neighbour."""
    with tally.case("an idle daemon wakes up a few times a second and uses next to no processor"), Pair(program, 1500) as pair:
        time.sleep(SETTLE)
        wakes, used = measure(pair.left.pid)
        figures.add("idle: wake-ups a second, all threads that are there at the end", wakes, "")
        figures.add("idle: of a processor", used * 100, "%")
        must(0 < wakes < MOST_WAKES, f"it woke {wakes} times a second")
        must(used < MOST_PROCESSOR, f"it used {used * 100:.1f} % of a processor")


def measure(process):
    """How often a second it woke, and the share of a processor that it used."""
    begin, before, used = time.monotonic(), usage.wakes(process), usage.processor(process)
    time.sleep(SPAN)
    wakes = sum(count - before.get(thread, 0) for thread, count in usage.wakes(process).items())
    used, span = usage.processor(process) - used, time.monotonic() - begin
    return wakes / span, used / span
