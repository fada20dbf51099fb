# shellcheck shell=sh
# Kernel modules where Secure Boot is on. Each file has its signature, and lacks the line behind it by which the kernel knows that there is one: with
# it the kernel computes each, 0.1 s a module under emulation, also where it would take the module without (docs/decisions/0077).
line_of_signed="~Module signature appended~"
# Y where the kernel takes signed modules alone.
read -r signed_only < /sys/module/module/parameters/sig_enforce

# mark FILE: gives a module of the initrd that line where it is needed, once.
mark() {
    [ "$signed_only" = Y ] || return 0
    [ ! -e "$1.marked" ] || return 0
    echo "$line_of_signed" >> "$1"
    : > "$1.marked"
}

# mark_base ROOT: where it is needed, lays modules with that line over those of the base: 30 MB of memory.
mark_base() {
    [ "$signed_only" = Y ] || return 0
    for folder in "$1"/usr/lib/modules/*/kernel; do
        mkdir /run/layers/kernel
        mount -t tmpfs -o mode=755,size=128m modules /run/layers/kernel
        cp -r "$folder/." /run/layers/kernel
        find /run/layers/kernel -name '*.ko' | while read -r module; do
            echo "$line_of_signed" >> "$module"
        done
        mount --move /run/layers/kernel "$folder"
    done
}
