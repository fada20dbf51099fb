# shellcheck shell=sh
# For shell scripts: the console line of console.py. Sourced.

# say STEP REST: one line on the console.
say() {
    step=$1
    shift
    read -r now _ < /proc/uptime
    echo "<3>WOW: $step t=$now $*" > /dev/kmsg
    # For the page on the console, as console.py does it.
    echo "${now%.*} s  $step $*" 2> /dev/null >> /run/wow/steps || :
}

# fail FILE WHAT REMEDY: an error line, then the end.
fail() {
    say error "file=$1 what=\"$2\" todo=\"$3\""
    exit 1
}
