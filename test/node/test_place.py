"""Where an owner says that a machine is: what is rounded and refused, how it is kept, what others are told, and the map that both pages draw it on."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import tempfile
import unittest
from unittest import mock

import samples
import test_web
from test_pool_page import NOW, busy, look, machine, queue

from wow.acts import pause as pausing
from wow.acts import place as act
from wow.agent import allowed
from wow.condor import pace
from wow.history import looked
from wow.lib.errors import WowError
from wow.lib.verb import UsageError
from wow.place import state
from wow.verbs import place as verb
from wow.web import atlas, pages, place, pool, snapshot

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIES = ("", " ", "47", "47  8", " 47 8", "47 8 ", "47 8 1", "91 0", "-91 0", "0 181", "0 -181", "nan nan", "inf 0", "1e1 0", "4.5 8", "+4 8", "-0 0", "007 8", "--1 0",
        "٣ 8", "²2 8", "47\n8", "47 8" * 999, "<b>x</b>", '"', None, True, 7, 4.5, [], {}, ["47", "8"], float("nan"), 10 ** 400)


def generator():
    """appliance/map/generate as a module."""
    loader = importlib.machinery.SourceFileLoader("map_generate", str(ROOT / "appliance/map/generate"))
    found = importlib.util.module_from_spec(importlib.util.spec_from_loader("map_generate", loader))
    loader.exec_module(found)
    return found


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.told = f"{folder.name}/place.json", []
        for one in (mock.patch.object(state, "FILE", self.path), mock.patch.object(pausing.facts, "read", lambda *_: samples.pool(node__role="worker")),
                    mock.patch.object(act.system, "run", lambda words, *_, **__: (self.told.append(words), (0, ""))[1])):
            one.start()
            self.addCleanup(one.stop)

    def say(self, latitude, longitude):
        """Keeps a place, and returns it as it is kept."""
        act.place({"latitude": latitude, "longitude": longitude}, 988)
        return state.load()


class Kept(Folder):
    def test_what_people_type_is_rounded_to_a_whole_degree_before_it_is_kept(self):
        for latitude, longitude, kept in (
                ("47.4", "8.5", (47, 9)), ("47,4", "8,4", (47, 8)), ("47.4 N", "8.5E", (47, 9)), ("33.9s", "151.2 e", (-34, 151)), ("-33.9", "+151.2", (-34, 151)),
                ("\N{MINUS SIGN}34.6", "58.4\N{DEGREE SIGN} W", (-35, -58)), ("0", "0.4 W", (0, 0)), ("-0.4", "-0.4", (0, 0)), ("90", "180", (90, 180)),
                ("90 s", "180 w", (-90, 180)), ("0", "-179.6", (0, 180)), (" 47.4 N, ", "8.5", (47, 9)), ("089.", "007", (89, 7))):
            self.assertEqual(self.say(latitude, longitude), kept, (latitude, longitude))
            text = pathlib.Path(self.path).read_text(encoding="ascii")
            self.assertEqual(json.loads(text), dict(zip(state.NAMES, kept)))
            self.assertNotIn(".", text)

    def test_what_is_no_place_is_refused_in_words_and_changes_nothing(self):
        self.say("47", "8")
        self.told.clear()
        for bad in ("", " ", "none", "90.1", "91", "nan", "inf", "1e1", "47 22", "47\N{DEGREE SIGN}22'", "N 47", "-33 S", "47 E", "--1", "٤٧", "1" * 300,
                    "47;", "<b>", "4 7", "\0"):
            for fields in ({"latitude": bad, "longitude": "8"}, {"longitude": "8"}, {"latitude": "47"}, {}, {"latitude": "47", "longitude": "180.1"},
                           {"latitude": "47", "longitude": "8 N"}):
                with self.assertRaises(WowError) as caught:
                    act.place(fields, 988)
                self.assertEqual(caught.exception.code, allowed.BAD_REQUEST, fields)
                self.assertIn("Give the l", str(caught.exception))
        self.assertEqual((state.load(), self.told), ((47, 8), []))

    def test_it_is_told_at_once_and_forgotten_when_the_owner_says_so(self):
        self.say("47", "8")
        self.assertIsNone(self.say("none", "none"))
        self.assertIsNone(self.say("none", "none"))
        self.assertEqual((os.path.exists(self.path), self.told), (False, [["systemctl", "restart", "--no-block", "wow-pace.service"]] * 3))

    def test_a_full_disk_is_told_and_a_machine_without_slots_tells_no_place(self):
        with mock.patch.object(state.files, "write", side_effect=OSError(28, "No space left on device")), self.assertRaises(WowError) as caught:
            self.say("47", "8")
        self.assertIn("nothing was changed", str(caught.exception))
        with mock.patch.object(pausing.facts, "read", lambda *_: samples.pool(node__role="manager")), self.assertRaises(WowError) as caught:
            self.say("47", "8")
        self.assertEqual((caught.exception.code, self.told), (allowed.NO_JOBS, []))

    def test_a_file_that_is_no_good_is_as_none_and_is_said(self):
        self.assertIsNone(state.load())
        for data in (b"", b"{", b"[]", b"\xff", b"[" * 9999, b'{"latitude": 47}', b'{"latitude": 47, "longitude": 8, "more": 1}', b'{"latitude": 91, "longitude": 8}',
                     b'{"latitude": 47.4, "longitude": 8}', b'{"latitude": true, "longitude": 8}', b'{"latitude": "47", "longitude": "8"}',
                     b'{"latitude": NaN, "longitude": 8}', b'{"latitude": 47, "longitude": 1e999}', b'{"latitude": null, "longitude": null}'):
            pathlib.Path(self.path).write_bytes(data)
            with self.assertRaises(WowError) as caught:
                state.load()
            self.assertIn("wow place none", str(caught.exception), data[:40])
            self.assertIsNone(state.read())
            self.assertIn("so no place is told", place.show("k", {}).decode())
        self.assertIsNone(self.say("none", "none"))


class Told(Folder):
    """The machine's ad, and what the pool's page makes of it."""

    def test_a_machine_s_ad_has_the_place_that_its_owner_gave_and_none_without(self):
        def ad():
            return pace.machine_ad(samples.pool(), {"manager": "", "nat": {"kind": ""}}, [], "/nowhere")
        self.assertNotIn("WowPlace", ad())
        for latitude, longitude, text in (("47.4", "8.5", '"47 9"'), ("33.9 S", "70.7 W", '"-34 -71"')):
            kept = self.say(latitude, longitude)
            self.assertEqual(ad()["WowPlace"], text)
            self.assertEqual(state.heard(text.strip('"')), kept)
        self.assertIn('WowPlace = "-34 -71"', pace.config(30, ad()))

    def test_what_no_machine_of_ours_says_is_no_place(self):
        for lie in LIES:
            self.assertIsNone(state.heard(lie), str(lie)[:40])
            self.assertEqual(look(machine(WowPlace=lie))["places"], [], str(lie)[:40])

    def test_machines_of_a_place_are_counted_once_each_with_the_jobs_that_run_there(self):
        told = look(machine(WowPlace="47 8"), busy(WowPlace="47 8"), busy(WowPlace="-1 -1"), machine("gamma", WowPlace="47 8"),
                    machine("delta", WowPlace="-34 151"), machine("far"), queue())
        self.assertEqual([[47, 8, 2, 2], [-34, 151, 1, 0]], told["places"])
        self.assertIn("size(unparse(WowPlace)) <= ", looked.question("manager.p.internal")[5])


class Drawn(unittest.TestCase):
    def shown(self, told, **query):
        """The map's page of a pool."""
        with mock.patch.object(snapshot, "is_there", lambda: True), mock.patch.object(snapshot, "look", lambda **_: snapshot.Seen("science", told, [])):
            return pool.answer("/pool/map", query, "k").decode()

    def test_a_dot_for_each_place_with_its_words_and_a_table_of_the_same(self):
        text = self.shown({"machines": [[]] * 7, "places": [[47, 8, 1, 0], [-34, -71, 4, 3], [0, 180, 1, 1]], "when": NOW})
        self.assertIn('<image href="/world.svg" width="720" height="360"/>', text)
        self.assertEqual(re.findall(r'<circle class="dot" cx="(\d+)" cy="(\d+)" r="([\d.]+)"><title>(.*?)</title>', text), [
            ("218", "248", "8.0", "34 S, 71 W: 4 machines, 3 running"), ("376", "86", "4.0", "47 N, 8 E: 1 machine, 0 running"),
            ("720", "180", "4.0", "0, 180 E: 1 machine, 1 running")])
        self.assertIn('aria-label="6 of 7 machines tell where they are: 3 places."', text)
        self.assertIn('<th scope="row"><bdi>34 S, 71 W</bdi></th><td class="number">4</td><td class="number">3</td>', text)
        self.assertIn("1 to 1 of 1, of 3 in all.", self.shown({"places": [[47, 8, 1, 0], [-34, -71, 4, 3], [0, 180, 1, 1]]}, find="180 e"))

    def test_a_thousand_machines_and_any_number_of_places_are_a_small_page_that_says_what_it_leaves_out(self):
        told = look(*(machine(f"m{number}", WowPlace=f"{number % 181 - 90} {number % 361 - 180}") for number in range(looked.MOST_MACHINES + 50)))
        self.assertEqual(len(told["places"]), looked.MOST_MACHINES)
        text = self.shown(told)
        self.assertEqual((text.count("<circle"), text.count("<tr>")), (atlas.MOST, 51))
        self.assertIn(f"Drawn are the 500 with the most machines; {looked.MOST_MACHINES - 500} more are in the table alone.", text)
        self.assertLess(len(text), 100_000)
        most = self.shown({"places": [[0, 0, 10 ** 9, 0]]})
        self.assertIn('r="24.0"', most)

    def test_before_wow_pool_told_any_place_the_map_is_empty(self):
        text = self.shown({})
        self.assertIn("0 of 0 machines tell where they are: 0 places.", text)
        self.assertNotIn("<circle", text)

    def test_the_file_is_what_is_made_of_the_land_and_small(self):
        made, path = generator(), ROOT / "appliance/node/root/usr/lib/wow/node/web" / atlas.NAME
        text = path.read_text(encoding="ascii")
        self.assertEqual(text, made.made(), "run appliance/map/generate")
        self.assertEqual((made.WIDE, made.HIGH), (atlas.WIDE, atlas.HIGH))
        self.assertLess(len(text), 12_000)
        self.assertEqual(re.sub(r"[0-9 lMz-]", "", re.search(r' d="(.*?)"', text)[1]), "")
        for word in ("<script", "style", "http://", "https://", "href"):
            self.assertNotIn(word, text.replace('xmlns="http://www.w3.org/2000/svg"', ""))

    def test_land_is_land_and_sea_is_sea(self):
        drawn = re.search(r' d="(.*?)"', (ROOT / "appliance/node/root/usr/lib/wow/node/web" / atlas.NAME).read_text(encoding="ascii"))[1]
        lands = []
        for one in re.findall(r"M(.*?)z", drawn):
            numbers = [int(number) for number in re.findall(r"-?\d+", one)]
            x = y = 0
            lands.append(points := [])
            for right, down in zip(numbers[::2], numbers[1::2]):
                x, y = x + right, y + down
                self.assertTrue(0 <= x <= atlas.WIDE and 0 <= y <= atlas.HIGH, (x, y))
                points.append((x, y))
        for (latitude, longitude), is_land in (((47, 8), True), ((-25, 135), True), ((0, 25), True), ((40, -100), True), ((66, 179), True), ((67, -179), True),
                                               ((-85, 0), True), ((-80, 100), True), ((0, -30), False), ((0, -150), False), ((-50, 60), False),
                                               ((35, 18), False), ((89, 0), False), ((72, 0), False)):
            x, y = (longitude + 180) * 2, (90 - latitude) * 2
            times = 0
            for points in lands:
                for (left, top), (right, low) in zip(points, points[1:] + points[:1]):
                    times += (top > y) != (low > y) and x < left + (right - left) * (y - top) / (low - top)
            self.assertEqual(times % 2 == 1, is_land, (latitude, longitude))


class Asked(Folder):
    """The verb, and the machine's page."""

    def said(self, *words):
        asked = []
        with mock.patch.object(verb.client, "ask", lambda command, **fields: asked.append((command, fields))), mock.patch("builtins.print") as printed:
            self.assertEqual(verb.VERB.run(verb.VERB.read(list(words))), 0)
        return asked, printed.call_args.args[0]

    def test_the_verb_takes_two_words_or_none_and_tells_what_is_told(self):
        self.assertEqual(self.said(), ([], "This machine tells no place."))
        self.say("47.4", "8.5")
        self.assertEqual(self.said("-33.9", "151.2E"), (
            [("place", {"latitude": "-33.9", "longitude": "151.2E"})], "This machine tells the pool that it is at 47 N, 9 E."))
        self.assertEqual(self.said("none", "--json"), (
            [("place", {"latitude": "none", "longitude": "none"})], '{"place": {"latitude": 47, "longitude": 9}}'))
        for words in (["47"], ["47", "8", "9"], ["-x"], ["--none"]):
            with self.assertRaises(UsageError):
                self.said(*words)

    def test_a_click_is_the_degrees_below_it(self):
        for x, y, kept in (("376", "85", (47, 8)), ("0", "1", (89, 180)), ("719", "359", (-90, 180)), ("360", "180", (0, 0)), ("359", "179", (0, 0)),
                           ("1", "0", (90, -179))):
            clicked = atlas.clicked(x, y)
            self.assertEqual(self.say(clicked["latitude"], clicked["longitude"]), kept, (x, y))

    def test_a_map_that_a_key_pressed_or_a_click_that_is_none_says_so(self):
        for x, y in (("0", "0"), ("720", "5"), ("5", "360"), ("-1", "5"), ("", ""), ("1e1", "5"), ("٣", "5"), ("5.5", "5"), ("99999", "5"),
                     ("None", "None")):
            with self.assertRaises(WowError) as caught:
                atlas.clicked(x, y)
            self.assertEqual(caught.exception.code, allowed.BAD_REQUEST)

    def test_the_page_says_who_sees_it_shows_the_dot_and_gives_back_what_was_typed_as_text(self):
        text = place.show("k", {}).decode()
        self.assertIn("Everybody in the pool can see the place", text)
        self.assertIn("Nobody is told where this machine is.", text)
        self.assertNotIn("<circle", text)
        self.assertNotIn("Tell no place", text)
        self.say("47", "8")
        for name in test_web.HOSTILE:
            text = place.show("k", {"latitude": name, "longitude": name}, name).decode()
            self.assertFalse(set(re.sub(r'value="[^"]*"', "", text)) & test_web.MARKS, name)
            self.assertNotIn("<script>alert", text)
            self.assertNotIn('" onmouseover="', text)
        self.assertIn('<circle class="dot" cx="376" cy="86" r="4"/>', text)
        self.assertIn("at 47 N, 8 E.", text)
        self.assertIn('name="none" value="yes"', text)

    def test_the_machine_s_page_leads_there_where_jobs_run(self):
        seen = test_web.Pages.seen(test_web.Pages())
        self.assertIn("It is not on the pool&#x27;s map.", pages.machine(seen, "k").decode())
        self.say("47", "8")
        self.assertIn('at 47 N, 8 E.</p><p><a href="/place">', pages.machine(seen, "k").decode())
        seen.pool = samples.pool(node__role="manager")
        self.assertNotIn('href="/place"', pages.machine(seen, "k").decode())


if __name__ == "__main__":
    unittest.main()
