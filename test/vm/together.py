"""Stories of different machines, told at the same time: most of each is a machine that boots, or waiting."""

import threading


def together(*stories):
    """Calls all, each in a thread of its own; returns when all have ended, and raises what the first of them raised outside of its cases."""
    raised = []

    def told(story):
        try:
            story()
        except BaseException as error:
            raised.append(error)

    # An interruption must not wait for them: the machines are then stopped below them.
    threads = [threading.Thread(target=told, args=(story,), daemon=True) for story in stories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
