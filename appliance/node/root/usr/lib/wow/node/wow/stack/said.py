"""Where wow-stack says what became of the published stack (told.py reads it), and which of its codes wait for the next start. Alone, for wow-jobs looks each round and
loads no more."""
from wow.lib import paths

FILE = f"{paths.RUN}/stack.json"
CODES = ("next", "off", "damaged")
"""Of what the next start brings, and this one has not."""
