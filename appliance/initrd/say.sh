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

# warn FILE WHAT REMEDY: something is wrong, and the boot goes on: a line, and the same for people.
warn() {
    say error "step=boot file=$1 what=\"$2\" todo=\"$3\""
    show "Something is wrong; this machine starts all the same." "$1" "$2" "$3"
}

# show HEAD FILE WHAT REMEDY: puts words for people on every console, without the kernel's times in front.
show() {
    # shellcheck disable=SC2013 # words are wanted: the kernel names all of them on one line
    for console in $(cat /sys/class/tty/console/active); do
        { screen "$@" > "/dev/$console"; } 2>/dev/null || continue
    done
}

# screen HEAD FILE WHAT REMEDY: these words in 80 columns, broken at blanks.
screen() (
    set -f
    echo
    echo "$1"
    paragraph "What: " "$3"
    paragraph "File: " "$2"
    paragraph "To do:" "$4"
    echo
)

# paragraph HEAD WORDS: what does not fit stands below the first word.
paragraph() {
    row=$1
    for word in $2; do
        if [ $((${#row} + 1 + ${#word})) -gt 80 ]; then
            echo "$row"
            row="      "
        fi
        row="$row $word"
    done
    echo "$row"
}

# stop FILE WHAT REMEDY: the boot cannot go on. Says why, and stays, so that the message can be read; there is no shell. A volunteer switches the
# machine off. A system on trial waits for nobody: after three starts the machine has the other one.
stop() {
    line 2 error "step=boot file=$1 what=\"$2\" todo=\"$3\""
    if [ -n "${trial:-}" ]; then
        show "The pool's new system cannot start; this machine starts again in a minute." "$1" "$2" "$3"
        sync
        sleep 60
        echo b > /proc/sysrq-trigger
    fi
    show "This machine cannot start. Switch it off when you have read this." "$1" "$2" "$3"
    start_stopped
    sync
    while :; do sleep 3600; done
}
