"""What happens to the networks that the overlay goes over: a card dies or swallows everything, an address becomes another one, routes are not the same there and back. Pools of their own, all at once."""

import asymmetric
import cards
import readdressed
from worker import Worker


def run(tally, program, figures):
    """Each in a thread, since most of it is waiting."""
    workers = [Worker(lambda story=story: story(tally, program, figures))
               for story in (cards.run, readdressed.run, asymmetric.run)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.finish()
