# shellcheck shell=sh
# Words for whoever looks at the console. Through the kernel's log, so that every console gets them. The line's form and keys stand in
# docs/contract/console.json.

# say STEP KEY=VALUE...: one line.
say() {
    line 4 "$@"
}

# line LEVEL STEP KEY=VALUE...: one line of the kernel's level.
line() {
    level=$1
    step=$2
    shift 2
    read -r now _ < /proc/uptime
    echo "<$level>WOW: $step t=$now $*" > /dev/kmsg
}

# stop [file=FILE] WORDS...: the boot cannot go on. Says why, and stays, so that the message can be read. A volunteer switches the machine off.
stop() {
    why=$*
    where=
    case $why in
        file=*) where="${why%% *} " why=${why#* } ;;
    esac
    line 2 error "step=boot ${where}what=\"$why\""
    sync
    while :; do sleep 3600; done
}
