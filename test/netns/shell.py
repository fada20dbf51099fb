"""Runs programs; one that fails says with which words."""

import subprocess


def run(*command, check=True, timeout=240, text_in=None):
    """Runs a program to its end and returns what subprocess returns, standard error joined to the output."""
    ended = subprocess.run(command, input=text_in, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=timeout)
    if check and ended.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {ended.returncode}: {ended.stdout.strip()}")
    return ended
