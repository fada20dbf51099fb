"""What is a stack's text, and what is none."""
import hashlib
import os
import random
import unittest
from unittest import mock

from test_stack import BASE, BYTES, EMPTY, FORMER, NODE, SYSTEM, WHOLE, body, delta, line, notice, system
from wow.lib import agreed
from wow.stack import text


class Text(unittest.TestCase):
    def test_a_stack_is_read_as_it_was_written(self):
        stack = text.notice(notice(12, WHOLE))
        self.assertEqual((stack.number, stack.base, stack.node, stack.modules), (12, BASE, NODE, ["maths", "physics"]))
        self.assertEqual([(layer.kind, layer.name, layer.size) for layer in stack.layers], [("module", "maths", 10), ("module", "physics", 20), ("glue", "glue", 5)])
        empty = text.notice(notice(2**64 - 1, EMPTY))
        self.assertEqual((empty.number, empty.base, empty.layers), (2**64 - 1, "", ()))
        self.assertEqual(text.read(body(), 1).layers, ())

    def test_the_last_line_may_be_a_deadline(self):
        for data, second in ((body(line("maths"), "restart-by 1795707748\n"), 1795707748), (EMPTY + b"restart-by 1\n", 1), (body("restart-by 9999999999\n"), 9999999999)):
            self.assertEqual(text.read(data, 1).restart_by, second)
        self.assertEqual(text.read(body(line("maths"), "restart-by 5\n"), 1).modules, ["maths"])
        self.assertIsNone(text.read(WHOLE, 1).restart_by)
        for last in ("restart-by 0", "restart-by 10000000000", "restart-by 05", "restart-by -5", "restart-by 5 5", "restart-by ", "restart-by", "restart-by \u0665",
                     "restart-by 99999999999999999999", "restart-by 5\nrestart-by 5", "restart-by 5\n" + line("maths")[:-1]):
            self.refused(body(line("physics"), last + "\n"))
            self.refused(EMPTY + last.encode() + b"\n")
        self.refused(b"restart-by 5\n")
        self.refused(EMPTY + b"restart-by 5")

    def test_bounds_are_reached_and_not_passed(self):
        many = [line("maths", digest=f"{number:064x}").replace("maths", f"m{number}") for number in range(13)]
        self.assertEqual(len(text.read(body(*many[:12]), 1).modules), 12)
        self.refused(body(*many))
        largest = [line("maths", 4294967296, f"{number:064x}").replace("maths", f"m{number}") for number in range(3)]
        self.assertEqual(len(text.read(body(*largest[:2]), 1).modules), 2)
        self.refused(body(*largest))
        self.refused(body(line("maths", 4294967297)))
        self.refused(body("x" * agreed.LARGEST_STACK_TEXT))

    def test_a_stack_may_carry_a_whole_system(self):
        for lines, modules in (((line("maths"), line("glue")), ["maths"]), ((), [])):
            stack = text.read(body(*lines, "restart-by 5\n", over=system()), 7)
            self.assertEqual((stack.number, stack.base, stack.node, stack.modules, len(stack.layers), stack.restart_by), (7, BASE, NODE, modules, len(lines), 5))
            self.assertEqual(tuple((file.kind, file.digest, file.size) for file in stack.system), SYSTEM)
            self.assertEqual([file.name for file in stack.system], [file.kind for file in stack.system])
        self.assertEqual(stack.system[0].line(), f"base base {BASE} 121 {BASE}")
        self.assertEqual((text.read(WHOLE, 1).system, text.read(EMPTY, 1).system), ((), ()))

    def test_each_architecture_has_its_own_part(self):
        arm = f"architecture arm64\nbase {'a4' * 32}\nnode {'64' * 32}\n"
        both = body(line("maths"), arm, line("physics"), "restart-by 5\n", over=system())
        amd64, arm64, other = (text.read(both, 7, name) for name in ("amd64", "arm64", "riscv64"))
        self.assertEqual((amd64.base, amd64.modules, amd64.restart_by, len(amd64.system), amd64.elsewhere), (BASE, ["maths"], 5, 4, ()))
        self.assertEqual((arm64.base, arm64.modules, arm64.restart_by, arm64.system, arm64.elsewhere), ("a4" * 32, ["physics"], 5, (), ()))
        self.assertEqual((other.number, other.base, other.files, other.restart_by, other.elsewhere), (7, "", (), 5, ("amd64", "arm64")))
        self.assertEqual(text.read(WHOLE, 1, "arm64").elsewhere, ("amd64",), "a text that does not say so is amd64's")
        self.assertEqual(text.read(EMPTY + arm.encode(), 1, "amd64").elsewhere, ("arm64",))
        self.assertEqual(text.read(EMPTY, 1, "arm64").elsewhere, (), "nothing is for nobody")
        for machine, name in (("x86_64", "amd64"), ("aarch64", "arm64"), ("s390x", "s390x")):
            with mock.patch.object(os, "uname", return_value=mock.Mock(machine=machine)):
                self.assertEqual((text.machine(), text.read(both, 1).base), (name, {"amd64": BASE, "arm64": "a4" * 32}.get(name, "")))

    def test_a_system_is_whole_or_none(self):
        base, node, kernel, initrd = SYSTEM
        for files in ((base, node), (base, node, kernel), (base, node, initrd, kernel), (node, base, kernel, initrd), (base, kernel, node, initrd), (*SYSTEM, initrd),
                      (base[:2], node, kernel, initrd), (base, node[:2], kernel, initrd), (base[:2], node[:2], kernel, initrd), (base, node, kernel[:2], initrd),
                      (base, node, kernel, initrd[:2]), (base[:2], node), (base, node[:2]), (base[:2], node[:2], kernel), (kernel, initrd), (base, node, kernel, kernel),
                      (base, (*node, 1), kernel, initrd)):
            for more in ((), (line("maths"),)):
                self.refused(body(*more, over=system(*files)))
                self.refused(body(*more, "restart-by 5\n", over=system(*files)))
        for size in (0, "01", "+1", "-1", "", " 1", "1 ", 4294967297, "x", "\u0665"):
            for at, (name, digest, _) in enumerate(SYSTEM):
                self.refused(body(over=system(*SYSTEM[:at], (name, digest, size), *SYSTEM[at + 1:])))
        for at, (name, _, size) in enumerate(SYSTEM):
            for digest in (SYSTEM[at - 1][1], "ab" * 31, "AB" * 32, "", "77" * 32):
                self.refused(body(f"module a 1 {'77' * 32}\n", over=system(*SYSTEM[:at], (name, digest, size), *SYSTEM[at + 1:])))
        self.refused(body(line("glue"), over=system()))
        self.refused(body(line("glue"), line("maths"), over=system()))

    def test_a_system_counts_among_the_bytes_of_a_stack(self):
        largest = [(name, digest, 1 << 31) for name, digest, _ in SYSTEM]
        self.assertEqual(sum(file.size for file in text.read(body(over=system(*largest)), 1).system), agreed.LARGEST_STACK)
        self.refused(body(line("maths", 1), over=system(*largest)))
        self.refused(body(line("maths", agreed.LARGEST_LAYER), f"module physics {agreed.LARGEST_LAYER} {'ab' * 32}\n", over=system()))

    def test_deltas_say_of_what_a_file_is_made(self):
        maths, lines = hashlib.sha256(BYTES["maths"]).hexdigest(), (line("maths"), line("glue"))
        for over, made in (({}, maths), ({"over": system()}, maths), ({"over": system()}, BASE), ({"over": system()}, "17" * 32)):
            stack = text.read(body(*lines, delta(made), delta(made, "f2" * 32, 4, "d2" * 32), "restart-by 5\n", **over), 1)
            self.assertEqual([(one.file, one.from_, one.size, one.digest) for one in stack.deltas], [(made, FORMER, 3, "d1" * 32), (made, "f2" * 32, 4, "d2" * 32)])
            self.assertEqual((len(stack.layers), stack.restart_by, len(stack.system)), (2, 5, 4 if over else 0))
        # From a file that the text names, too, be it without its size; and one delta from the file that another makes.
        self.assertEqual(text.read(body(*lines, delta(maths, BASE)), 1).deltas[0].from_, BASE)
        self.assertEqual(len(text.read(body(*lines, delta(maths, BASE), delta(BASE, maths, 3, "d2" * 32), over=system()), 1).deltas), 2)
        self.assertEqual(len(text.read(body(delta(BASE), over=system()), 1).deltas), 1)
        self.assertEqual((text.read(WHOLE, 1).deltas, text.read(EMPTY, 1).deltas, text.Stack(1).deltas), ((), (), ()))

    def test_a_delta_that_makes_no_file_from_another_one_is_none(self):
        maths, glue = (hashlib.sha256(BYTES[name]).hexdigest() for name in ("maths", "glue"))
        layers = (line("maths"), line("glue"))
        for lines in ((delta(FORMER, maths),), (delta(BASE),), (delta(NODE),), (delta(maths, maths),), (delta(maths), delta(maths, FORMER, 4, "d2" * 32)),
                      (delta(maths), delta(glue)), (delta(maths, digest=glue),), (delta(maths, digest=maths),), (delta(maths, digest=BASE),),
                      (delta(maths, digest=FORMER),), (delta(maths, "d2" * 32), delta(glue, digest="d2" * 32)), (delta("d2" * 32), delta(maths, digest="d2" * 32)),
                      (delta(maths), "restart-by 5\n", delta(glue, digest="d2" * 32))):
            self.refused(body(*layers, *lines))
            self.refused(body(*layers, *lines, "restart-by 5\n"))
        whole = delta(maths)
        self.refused(body(delta(maths)))
        self.refused(body(whole, *layers))
        self.refused(body(layers[0], whole, layers[1]))
        self.refused(b"wow-stack 1\n" + whole.encode())
        self.refused(b"wow-stack 1\n" + whole.encode() * 2)
        self.refused(body(*layers, delta(BASE), over=whole + system()))
        for size in (0, "01", "+1", "-1", "", " 1", 4294967297, "x", "\u0665"):
            self.refused(body(*layers, delta(maths, size=size)))
        for wrong in (whole.upper(), whole.replace(" ", "  ", 1), " " + whole, whole[:-1] + " \n", whole[:-2] + "\n", whole[:-1] + "0\n", whole.replace("d1", "D1"),
                      whole.replace("f1", "F1"), whole.replace(maths, maths[:-1]), f"delta {maths} 3 {'d1' * 32}\n", "delta\n", whole.replace("delta", "deltas"), whole + "\n"):
            self.refused(body(*layers, wrong))

    def test_deltas_have_bounds_too(self):
        maths = hashlib.sha256(BYTES["maths"]).hexdigest()
        many = [delta(maths, f"{number:064x}", 1, f"{number + 99:064x}") for number in range(33)]
        self.assertEqual(len(text.read(body(line("maths"), *many[:32]), 1).deltas), 32)
        self.refused(body(line("maths"), *many))
        largest = [delta(maths, f"{number:064x}", agreed.LARGEST_LAYER - number, f"{number + 99:064x}") for number in (0, 10)]
        self.assertEqual(sum(one.size for one in text.read(body(line("maths"), *largest), 1).deltas), agreed.LARGEST_STACK - len(BYTES["maths"]))
        self.refused(body(line("maths"), *largest, delta(maths, "ab" * 32, 1, "ac" * 32)))

    def refused(self, data):
        with self.subTest(data[:200]), self.assertRaises(text.NoStack):
            text.read(data, 1)

    def test_anything_else_is_none(self):
        digest = "ab" * 32
        for words in ("module maths 10", f"module maths 10 {digest} x", f"module  maths 10 {digest}", f"module maths 10  {digest}", f" module maths 10 {digest}",
                      f"module maths 10 {digest} ", f"module\tmaths 10 {digest}", f"module maths 0 {digest}", f"module maths 010 {digest}", f"module maths +1 {digest}",
                      f"module maths -1 {digest}", f"module maths 1_0 {digest}", f"module maths ١ {digest}", f"module maths 10 {digest.upper()}", f"module maths 10 {digest[:-1]}",
                      f"module maths 10 {digest}0", f"module Maths 10 {digest}", f"module -maths 10 {digest}", f"module maths- 10 {digest}", f"module {'m' * 64} 10 {digest}",
                      f"module kernel 10 {digest}", f"module initrd 10 {digest}", f"kernel kernel 10 {digest}", f"initrd {digest} 10",
                      f"module ../../x 10 {digest}", f"module ma.ths 10 {digest}", f"module base 10 {digest}", f"module node 10 {digest}", f"module glue 10 {digest}",
                      f"glue maths 10 {digest}", f"base {digest}", f"node maths 10 {digest}", f"module maths 10 {digest}\r", f"module maths 10 {digest}\0", "", "# words",
                      f"module maths 10 {digest}\n", f"module maths 10 {digest}\v", f"module maths 10 {digest}\x85", f"module maths 10 {BASE}",
                      f"module maths 10 {digest}\nmodule maths 10 {'ac' * 32}", f"module maths 10 {digest}\nmodule physics 10 {digest}"):
            self.refused(body(words + "\n"))
        for data in (b"", b"\n", b"wow-stack 1", b"wow-stack 2\n", b"wow-stack 1\n\n", b"wow-stack 1\r\n", b"\xef\xbb\xbfwow-stack 1\n", EMPTY + EMPTY, WHOLE[:-1], WHOLE + b"\n",
                     body(over=f"base {BASE}\n"), body(over=f"node {NODE}\nbase {BASE}\n"), body(over=f"base {BASE}\nnode {BASE}\n"), body(over=f"base {BASE} x\nnode {NODE}\n"),
                     body(line("glue")), body(line("maths"), line("glue"), line("physics")), body(line("maths"), line("glue"), line("glue", 6, "ee" * 32)), os.urandom(500)):
            self.refused(data)

    def test_what_is_no_notice_of_that_kind_is_none(self):
        whole = notice(12, WHOLE)
        for data in (b"", whole[:13], whole[:14], whole[:84], notice(12, WHOLE, kind=2), b"X" + whole[1:], notice(12, b"")):
            with self.assertRaises(text.NoStack):
                text.notice(data)

    def test_whatever_is_changed_in_a_text_is_found_or_another_stack(self):
        chance = random.Random(21)
        for number in range(6000):
            data = bytearray((WHOLE, body(line("maths"), over=system()), body(line("maths"), delta(BASE), over=system()))[number % 3])
            data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                stack = text.read(bytes(data), 1)
            except text.NoStack:
                continue
            over = system(*((file.name, file.digest, file.size) for file in stack.system)) if stack.system else f"base {stack.base}\nnode {stack.node}\n"
            lines = ["wow-stack 1\n", over, *(f"{one.kind} {one.name} {one.size} {one.digest}\n" for one in stack.layers),
                     *(delta(one.file, one.from_, one.size, one.digest) for one in stack.deltas)]
            self.assertEqual("".join(lines).encode(), bytes(data))


if __name__ == "__main__":
    unittest.main()
