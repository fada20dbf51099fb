# shellcheck shell=sh
# What the disk loses of a system: a block that is other than it was written, or cannot be read. The machine goes on with its other system, where that is
# whole, and GRUB is told, so that it stays so until the pool's stack is written anew (docs/decisions/0080). A system on trial has its own way back.
# shellcheck disable=SC2154 # init sets slot, trial and damaged
if [ "$slot" = A ]; then spare=B; else spare=A; fi
# The scripts share their variables: what lives longer than a function is called look_ or spare here. WOWHOME:/stacks/begun says "once" while a start has
# not brought the machine back into its pool, or when wow-stack wants a look at the whole system; "whole" when that was done; "kept" where the system is
# damaged and the other one no better.
look_file=/run/layers/home/stacks/begun
starts_again=
cut=

# has_spare: whether there is another system, which is not known to be damaged.
has_spare() {
    [ "$damaged" != "$spare" ] || [ -n "$cut" ] || return
    [ -f "/run/layers/sys/stacks/$spare.conf" ]
}

# is_whole SYSTEM: reads all of base, node's layer, kernel and initrd. Sets `rotten` to a file that is damaged.
is_whole() {
    rotten=
    count=0
    if [ -f "/run/layers/sys/stacks/$1.conf" ]; then
        while read -r kind _ name _ found; do
            case $kind in base | node) same "layers/$name" "$found" ;; esac
        done < "/run/layers/sys/stacks/$1.conf"
    fi
    if [ -f "/run/layers/sys/boot/$1/SHA256SUMS" ]; then
        while read -r found name; do
            same "boot/$1/$name" "$found"
        done < "/run/layers/sys/boot/$1/SHA256SUMS"
    fi
    [ "$count" = 4 ] || rotten=${rotten:-stacks/$1.conf}
    [ -z "$rotten" ]
}

same() {
    count=$((count + 1))
    [ "$(sha256sum "/run/layers/sys/$1" 2>/dev/null | cut -d' ' -f1)" = "$2" ] || rotten=$1
}

# leave_system FILE WHAT: the machine starts again with its other system; returns where that is none, or damaged, too, or GRUB cannot be told.
leave_system() {
    has_spare || return 0
    is_whole "$spare" || return 0
    change_environment '' "system=$spare" trial= tries= "damaged=$slot" looked=lost unfinished=no || return 0
    line 2 error "step=boot file=$1 what=\"$2\" todo=\"nothing: the machine starts with its other system, $spare\""
    show "This machine's system $slot is damaged; it starts again with its other one, $spare." "$1" "$2" \
        "nothing; home is kept. Where this comes again, the disk is failing: save what is in /home"
    start_again
}

start_again() {
    sync
    sleep 10
    echo b > /proc/sysrq-trigger
    while :; do sleep 60; done
}

# look_at_left: GRUB left the other system, for two starts in a row did not come to their end: the disk may have lost a part of it, or somebody cut them. All
# of it is read, once. Where it is whole the machine starts with it again. One that is left once more before a start of it ends stays so: `cut` says it. GRUB's
# block keeps what was found of `damaged`: looked=lost, or looked=whole.
look_at_left() {
    [ "$damaged" = "$spare" ] && ! environment_has looked=lost || return 0
    # What somebody chose in the menu is done first.
    if [ "$mode" = release ] && [ -z "${reset:-}" ] && ! environment_has looked=whole; then
        say system "what=\"two starts with the other system of this machine, $spare, did not come to their end; all of it is looked at\""
        if ! is_whole "$spare"; then
            change_environment '' looked=lost || true
            return
        fi
        if change_environment '' "system=$spare" damaged= looked=whole unfinished=no; then
            say system "take=$spare what=\"the system $spare is whole: this machine starts with it again\""
            start_again
        fi
    fi
    cut=yes
    echo "cut=yes" >> /run/layers/system
}

# lost FILE WHAT: this system cannot start, for a part of it is damaged.
lost() {
    if [ -z "$trial" ]; then
        leave_system "$1" "$2"
        [ ! -f "/run/layers/sys/stacks/$spare.conf" ] || set -- "$1" "$2, and the other system of this machine, $spare, is damaged, too"
    fi
    # shellcheck disable=SC2154 # layers.sh has it
    stop "$1" "$2" "$fresh"
}

# look_back: where the start before did not bring the machine back into its pool, the system may be damaged where nobody sees it: all of it is read, once.
# The start after a good one may start again by itself once, by a kernel's panic or a crash of systemd; this look follows. A system that runs is not left
# for one that was given up, or whose starts do not end; one that cannot start is (lost).
look_back() {
    # shellcheck disable=SC2154 # init sets it
    [ "$mode" = release ] && [ -z "$trial" ] && [ "$given_up" != "$spare" ] && [ -z "$cut" ] && has_spare || return 0
    look_was=
    lacks=stacks/$slot.conf
    [ ! -f "$look_file" ] || read -r look_was < "$look_file" || true
    case $look_was in
        once)
            if is_whole "$slot"; then
                begins whole || true
                return
            fi
            lacks=$rotten
            leave_system "/$lacks" "the disk has lost a part of the system $slot"
            begins kept || true
            say_kept
            ;;
        kept) say_kept ;;
        whole) ;;
        *)
            begins once || return 0
            echo 30 > /proc/sys/kernel/panic
            starts_again=yes
            mkdir -p /run/systemd/system.conf.d
            printf '[Manager]\nCrashAction=reboot\n' > /run/systemd/system.conf.d/wow.conf
            ;;
    esac
}

# panic_stands: kernel and initrd did all of theirs, so GRUB's panic=30, which is for those that the disk has lost, ends here. A panic that comes now has its last
# words on the screen (docs/decisions/0111).
panic_stands() {
    [ -n "$trial" ] || [ -n "$starts_again" ] || echo 0 > /proc/sys/kernel/panic
}

say_kept() {
    echo "kept=yes" >> /run/layers/system
    warn "/$lacks" "the disk has lost a part of this machine's system $slot, and of the other one, $spare" \
        "take a fresh image for the system's disk; home is kept"
}

# begins WORD: on the disk when this returns.
begins() {
    mkdir -p "${look_file%/*}" && chmod 700 "${look_file%/*}" && echo "$1" > "$look_file.new" && sync && mv "$look_file.new" "$look_file" && sync
}
