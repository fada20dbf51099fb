"""What a test program may be told."""
import contextlib
import io
import unittest

import options


class Read(unittest.TestCase):
    """options.read."""

    def test_a_flag_is_a_truth(self):
        given = options.read("run", ["--long"], ("long", "keep"))
        self.assertEqual((given.long, given.keep), (True, False))

    def test_words_may_be_any_where_none_is_named(self):
        self.assertEqual(options.read("run", ["--long", "a", "b"], ("long",), ()).words, ["a", "b"])

    def refused(self, arguments, **rest):
        """What a wrong call prints; it ends the program with 2."""
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
            options.read("run", arguments, ("keep",), **rest)
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_an_unknown_flag_ends_the_program(self):
        self.assertIn("--ke", self.refused(["--ke"]))

    def test_a_word_that_is_not_awaited_ends_the_program(self):
        self.assertIn("alpha", self.refused(["alpha"]))

    def test_a_word_that_is_none_of_the_named_ends_the_program_with_their_names(self):
        self.assertIn("unknown: gamma; there are alpha beta", self.refused(["gamma", "alpha"], words=("alpha", "beta")))

    def test_help_prints_the_text_as_it_stands_and_starts_nothing(self):
        with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(SystemExit) as ended:
            options.read("run [--keep]\n    --keep  leaves it", ["--help"], ("keep",))
        self.assertEqual(ended.exception.code, 0)
        self.assertIn("run [--keep]\n    --keep  leaves it", said.getvalue())


if __name__ == "__main__":
    unittest.main()
