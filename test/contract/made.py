"""Every file that is made whole of the contract."""
import pathlib

from contract import agent, agreed, constants, control, files, programs, settings

FILES = {
    "ipop/Ipopd/Configuration/OptionKey.g.cs": settings.option_key,
    "ipop/Ipopd/Configuration/DaemonOptions.g.cs": settings.daemon_options,
    "ipop/Ipopd/ipopd.conf": settings.commented,
    "ipop/Ipopd/Control/ControlReplies.g.cs": control.replies,
    "ipop/Ipopd/Control/StatusParts.g.cs": control.status_parts,
    "ipop/Ipopd/Control/OtherParts.g.cs": control.other_parts,
    "ipop/Ipopd/Control/ControlRequest.g.cs": control.requests,
    "appliance/node/root/usr/lib/wow/node/wow/lib/answers.py": control.answers,
    "appliance/node/root/usr/lib/wow/node/wow/agent/allowed.py": agent.python,
    "appliance/node/root/usr/lib/wow/node/wow/config/keys.py": settings.python_keys,
    "appliance/node/root/usr/lib/wow/node/wow/lib/agreed.py": agreed.python,
    "ca-service/PoolRules/ControlCode.g.cs": control.codes,
    "ca-service/PoolRules/ControlCommand.g.cs": control.commands,
    "ca-service/PoolRules/ExitCode.g.cs": programs.exit_code,
    "ca-service/PoolRules/EnrolmentStatus.g.cs": programs.enrolment_status,
    "ca-service/PoolRules/Agreed.g.cs": constants.agreed,
    "ca-service/PoolRules/FileNames.g.cs": files.file_names,
}
"""Which file is made by what."""


def write(root: pathlib.Path) -> list:
    """Makes them anew and returns their names; one that is the same already keeps its time, so that nothing is built again for it."""
    names = stale(root)
    for name in names:
        (root / name).write_text(FILES[name](root), encoding="utf-8")
    return names


def stale(root: pathlib.Path) -> list:
    """Names of files that are not what the contract says."""
    return [name for name, make in FILES.items() if not (root / name).exists() or (root / name).read_text(encoding="utf-8") != make(root)]
