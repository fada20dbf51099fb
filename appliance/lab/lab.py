"""The lab: the pool's machines on their networks, what they say, and what they are told."""

import os
import threading
import time

import capture
import cleanup
import console
import network
import patience
import steal
from login import USER, Login
from shell import LabError
from timeline import Timeline
from vm import Vm

POLL = 0.25
"""Seconds between two looks at the consoles."""


class Lab:
    """A set of machines in one folder, made from a Setup. say is called with each line of progress; boot(name) gives QEMU options more, kind(name) what is
    made for a machine (a Vm)."""

    def __init__(self, folder, setup, say, boot=lambda name: (), processors=1, kind=lambda name: Vm):
        self.folder = folder
        self.setup = setup
        self.say = say
        self.vms = {}
        self.timeline = Timeline()
        self._boot = boot
        self._processors = processors
        self._kind = kind
        self._recorders = {}
        self._looking = threading.Lock()

    def build(self, machines):
        """Makes networks, disks and recorders for the machines; none is switched on."""
        os.makedirs(cleanup.RUNTIME, exist_ok=True)
        network.up(machines, self.folder)
        for machine in machines:
            self._equip(machine)

    def add(self, machine):
        """Makes network, disk and recorder for one more machine."""
        network.attach(machine, self.folder)
        self._equip(machine)

    def _equip(self, machine):
        name = machine.name
        vm = self._kind(name)(machine, self.setup.image, self.setup.configs[name], self.folder, self.setup.accelerator, self._processors, self._boot(name))
        vm.make_disk()
        self.vms[name] = vm
        self._recorders[name] = capture.record(machine, self.file(name, "wan.pcap"), self.file(name, "tcpdump.log"))

    def file(self, name, suffix):
        """Path of a machine's file in the lab's folder."""
        return os.path.join(self.folder, f"{name}-{suffix}")

    def power_on(self, *names):
        """Switches machines on."""
        for name in names:
            self.vms[name].power_on()
            self.timeline.power(name, self.vms[name].powered)
        self.say("power on: " + ", ".join(names))

    def look(self):
        """Reads all consoles, tells of every new step, and fails if a machine's QEMU has ended."""
        with self._looking:
            for name, vm in self.vms.items():
                for step in vm.console.poll():
                    self.timeline.note(name, step.name, step.seen)
                    self.say(f"{name:8} {step.name} {step.text}".rstrip())
                if vm.powered and not vm.running:
                    vm.check()

    def wait(self, step, *names, timeout=None):
        """Waits until every named machine has said step; LabError names the first that has not."""
        limit = steal.now() + (patience.seconds(step) if timeout is None else timeout)
        while True:
            self.look()
            missing = [name for name in names if self.vms[name].console.last(step) is None]
            for name in missing:
                if (panic := self.vms[name].console.last(console.PANIC)) is not None:
                    raise LabError(f"{name}'s kernel gave up: {panic.text}", name, step)
            if not missing:
                return
            if steal.now() > limit:
                raise LabError(f"{missing[0]} did not get as far as `{step}` in time", missing[0], step)
            time.sleep(POLL)

    def moment(self, name, step):
        """Seconds since 1970 at which a machine first said step."""
        return next(found.seen for found in self.vms[name].console.steps if found.name == step)

    def address(self, name):
        """The machine's virtual address, from its console."""
        return self.vms[name].console.last("address").values["address"]

    def login(self, name, user=USER):
        """A user's way into a machine."""
        return Login(self.vms[name].machine, self.setup.key, user)

    @property
    def consoles(self):
        """{machine: Console}."""
        return {name: vm.console for name, vm in self.vms.items()}

    def stop_recording(self):
        """Ends the recorders, so that their files are whole."""
        cleanup.end([process.pid for process in self._recorders.values()])
        self._recorders = {}
