# shellcheck shell=sh
# What a volume holds, for the console: whoever reads it must know which of their disks is meant and what is on it.

# signatures: OFFSET BYTES NAME, as libblkid knows them. A boot sector's mark comes last, for FAT and NTFS have it too.
signatures() {
    cat <<TABLE
0 4c554b53babe a LUKS volume (encrypted)
16384 534b554cbabe a LUKS volume (encrypted) with a damaged head
3 2d4656452d46532d a BitLocker volume (encrypted)
0 58465342 an XFS file system
65600 5f42485266535f4d a Btrfs file system
1024 1020f5f2 an F2FS file system
131072 0cb1ba0000000000 a ZFS volume
4120 c68573f6 a bcache volume
4086 53574150535041434532 swap space
512 4c4142454c4f4e45 an LVM physical volume
0 fc4e2ba9 a part of a RAID array
4096 fc4e2ba9 a part of a RAID array
3 4e54465320202020 an NTFS file system
3 4558464154202020 an exFAT file system
54 46415431 a FAT file system
82 4641543332 a FAT file system
32769 4344303031 an ISO 9660 image
512 4546492050415254 a partition table (GPT)
1080 53ef an ext4 file system
510 55aa a partition table or boot sector (MBR)
TABLE
}

# kind DEVICE: the name of what is there, or nothing where no format is known.
kind() {
    signatures | while read -r offset bytes name; do
        if [ "$(field "$1" "$offset" $((${#bytes} / 2)))" = "$bytes" ]; then
            echo "$name"
            break
        fi
    done
}
