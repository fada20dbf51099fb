# shellcheck shell=sh
# Completion for wow and wow-ca. Only bash knows how, and the package that would load these files for it is not in the image.
if [ -n "${BASH_VERSION-}" ]; then
    . /usr/share/bash-completion/completions/wow
    . /usr/share/bash-completion/completions/wow-ca
fi
