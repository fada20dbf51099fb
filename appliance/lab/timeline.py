"""Seconds from power-on to each step of each machine, and the table that shows them."""

COLUMNS = (("ring", "ring"), ("address", "address"), ("certificate", "certificate"), ("esp", "first ESP"), ("pool", "in pool"),
           ("match", "first match"), ("jobs", "jobs done"))


class Timeline:
    """Collects moments (seconds since 1970) a machine; power-on is every machine's zero."""

    def __init__(self):
        self._powered = {}
        self._moments = {}

    def power(self, machine, moment):
        """The machine was switched on."""
        self._powered[machine] = moment
        self._moments[machine] = {}

    def note(self, machine, step, moment):
        """The machine reached a step; only the first time counts."""
        self._moments[machine].setdefault(step, moment)

    def seconds(self, machine, step):
        """Seconds from power-on to the step, None if it was not seen."""
        moment = self._moments.get(machine, {}).get(step)
        return None if moment is None else round(moment - self._powered[machine], 1)

    def as_json(self):
        """{machine: {step: seconds}}."""
        return {machine: {step: self.seconds(machine, step) for step in steps} for machine, steps in self._moments.items()}

    def table(self):
        """The timeline as lines of text, a column a machine."""
        machines = list(self._moments)
        rows = [["seconds from power-on", *machines]]
        for step, title in COLUMNS:
            cells = [self.seconds(machine, step) for machine in machines]
            if any(cell is not None for cell in cells):
                rows.append([title, *("-" if cell is None else f"{cell:.1f}" for cell in cells)])
        return columns(rows)


def columns(rows):
    """Lines of text with the columns of rows set under one another; the first is flush left, the others right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths)))
            for row in rows]
