"""The verbs of `wow pool`, one a file: SUMMARY (a line of help), add(parser), run(given, context) -> exit code or None."""
