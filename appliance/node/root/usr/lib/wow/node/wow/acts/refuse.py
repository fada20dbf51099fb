"""What the agent does for `wow refuse` and `wow accept`: keeps the name, and wakes wow-jobs, which tells HTCondor."""
from wow.acts import pause as act
from wow.agent import allowed
from wow.lib.errors import WowError
from wow.refuse import state


def refuse(fields: dict[str, str], _: int) -> None:
    """From now on no job of the project begins here, and what runs of it is given back."""
    change(fields, True)


def accept(fields: dict[str, str], _: int) -> None:
    """Its jobs may begin again."""
    change(fields, False)


def change(fields: dict[str, str], is_refused: bool) -> None:
    """Either."""
    act.must_run_jobs()
    try:
        state.change(fields.get("project", ""), is_refused)
    except OSError as error:
        raise WowError(f"{state.FILE} cannot be written, so nothing was changed: {error.strerror}", "Make room in /home", code=allowed.FAILED) from None
    act.wake()
