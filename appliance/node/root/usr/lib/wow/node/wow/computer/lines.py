"""The one line that has the owner's computer tell of itself each minute, by what its system has on board: sh, curl and cron; sh, curl and launchd; PowerShell and the
Task Scheduler. Decision 0068 says where each part is written down, and which were run."""

NAME = "wow-computer"
"""Of the task, wherever it stands."""
PATH = "/computer"
SYSTEMS = {"windows": "Windows, in PowerShell", "macos": "macOS, in Terminal", "linux": "Linux, in a shell"}
ENDS = {"windows": f"Unregister-ScheduledTask {NAME} -Confirm:$false; Remove-Item $env:LOCALAPPDATA\\{NAME}.ps1",
        "macos": f"launchctl unload ~/Library/LaunchAgents/{NAME}.plist; rm ~/Library/LaunchAgents/{NAME}.plist",
        "linux": f"crontab -l | grep -v {NAME} | crontab -"}
"""What takes it away again."""
IDLE_LINUX = ('/^IdleHint=/{h=$2}/^IdleSinceHint=/{m=$2}END{if(m>0)"date +\\045s"|getline u;else getline u<"/proc/uptime";'
              's=int(u-m/1000000);if(h=="yes")print(s>0?s:0);if(h=="no")print 0}')
"""logind says since when the seat is idle, in microseconds of the wall clock: its other clock stands still while the computer sleeps. 0 is a seat at which nobody is
logged in: since the computer began. cron would make a new line of a percent sign, which is \\045 to awk."""
WINDOWS = ("Add-Type -AssemblyName System.Windows.Forms; Add-Type 'using System;using System.Runtime.InteropServices;public static class Wow{"
           'struct L{public uint s;public uint t;}[DllImport("user32.dll")]static extern bool GetLastInputInfo(ref L l);'
           "public static uint Idle(){L l=new L();l.s=8;GetLastInputInfo(ref l);"
           "return((uint)Environment.TickCount-l.t)/1000;}}'; $w = (Get-Item $PSCommandPath).LastWriteTime; "
           "while ((Get-Item $PSCommandPath -ErrorAction SilentlyContinue).LastWriteTime -eq $w) { $p = [Windows.Forms.SystemInformation]::PowerStatus; "
           "try { Invoke-RestMethod {url} -Method Post -TimeoutSec 20 -Body @{token='{token}'; idle=[Wow]::Idle(); power=[string]$p.PowerLineStatus; "
           "charge=[int](100*$p.BatteryLifePercent)} } catch {}; Start-Sleep 60 }")
"""Runs as long as its file is the same, for its class is compiled at its begin."""


def line(system: str, page: str, token: str) -> str:
    """The line for a system. page: the address of this machine's web page, as that computer reaches it."""
    # Windows asks for localhost by IPv6 first, and waits for that.
    url = page.replace("//localhost", "//127.0.0.1") + PATH
    return {"windows": _windows, "macos": _macos, "linux": _linux}[system](url, token)


def _linux(url: str, token: str) -> str:
    battery = "/sys/class/power_supply/BAT*"
    told = _curl(url, token, f"loginctl show-seat seat0 -p IdleHint -p IdleSinceHint 2>/dev/null | awk -F= '{IDLE_LINUX}'",
                 f"grep -qs Discharging {battery}/status && echo battery || echo mains", f"cat {battery}/capacity 2>/dev/null | head -n 1")
    return f"(crontab -l 2>/dev/null | grep -v {NAME}; printf '%s\\n' {_quoted(f'* * * * * {told} # {NAME}')}) | crontab -"


def _macos(url: str, token: str) -> str:
    told = _curl(url, token, "ioreg -c IOHIDSystem | awk '/HIDIdleTime/{print int($NF/1000000000);exit}'",
                 'pmset -g batt | grep -q "Battery Power" && echo battery || echo mains', "pmset -g batt | grep -o '[0-9]*%' | head -n 1 | tr -d %")
    told = told.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    listed = (f'<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>Label</key><string>{NAME}</string><key>ProgramArguments</key><array>'
              f"<string>/bin/sh</string><string>-c</string><string>{told}</string></array><key>StartInterval</key><integer>60</integer>"
              "<key>RunAtLoad</key><true/></dict></plist>")
    file = f"~/Library/LaunchAgents/{NAME}.plist"
    return f"mkdir -p ~/Library/LaunchAgents; printf '%s\\n' {_quoted(listed)} > {file}; launchctl unload {file} 2>/dev/null; launchctl load {file}"


def _windows(url: str, token: str) -> str:
    script = WINDOWS.replace("{url}", url).replace("{token}", token).replace("'", "''")
    return (f"$f = \"$env:LOCALAPPDATA\\{NAME}.ps1\"; Set-Content $f '{script}'; Register-ScheduledTask {NAME} -Force -Action (New-ScheduledTaskAction conhost.exe "
            "\"--headless powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File `\"$f`\"\") -Trigger (New-ScheduledTaskTrigger -Once -At (Get-Date) "
            "-RepetitionInterval (New-TimeSpan -Minutes 1)) -Settings (New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries "
            "-MultipleInstances IgnoreNew -ExecutionTimeLimit (New-TimeSpan))")


def _curl(url: str, token: str, idle: str, power: str, charge: str) -> str:
    """Tells what three commands print."""
    return f'curl -s -m 20 -o /dev/null -d token={token} -d idle=$({idle}) -d power=$({power}) -d charge=$({charge}) {url}'


def _quoted(text: str) -> str:
    """For sh, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"
