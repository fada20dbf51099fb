"""Takes secrets out of text that leaves the machine. What is known to be secret goes wherever it stands; what looks like a secret goes, too."""
import re

BLACK = "[taken out]"
_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----.*?(-----END \1-----|\Z)", re.DOTALL)
_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY")
_BASE64 = re.compile(r"[A-Za-z0-9+/=]{16,}")
# What two tries at different places of a line may both look through has a bound: what strangers write must not cost more than its length.
_SSH = re.compile(r"\b((?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]{1,60})[ \t]+[A-Za-z0-9+/=]{40,}")
_SECRET = r"(?:secret|ticket|password|token)\w{0,60}"
_IN_JSON = re.compile(rf"(?i)({_SECRET}[\"'][ \t]*:[ \t]*)(?:\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?)")
_NAMED = re.compile(rf"(?i)({_SECRET}(?:[ \t]*=|[\"'][ \t]*:(?![ \t]*[\"']))[ \t]*)\S.*")
_OPTION = re.compile(r"(?i)(--(?:ticket|token|secret|password)(?:=|[ \t]+))[^\s\"']+")
_BEARER = re.compile(r"(?i)(\bbearer[ \t]+)[A-Za-z0-9._~+/=-]{8,}")
_IPSEC = re.compile(r"(?i)\b((?:aead|enc|auth(?:-trunc)?|comp)[ \t]+\S{1,80}[ \t]+)0x[0-9a-f]+")
# A claim of HTCondor: <ADDRESS>#BIRTH#NUMBER#[SESSION]SECRET; "..." stands where HTCondor left the secret out itself.
_CLAIM = re.compile(r"(<[^<>\s]*>#\d+#\d+#)(?!\.\.\.)(?:\[[^\]\n]{0,1000}\])?\S*")
# What HTCondor's starter says of a job's command line: its arguments may be secrets that nobody can tell from other words.
_ARGUMENTS = re.compile(r"(\bto exec \S+) .*")
_PRIVATE = re.compile(r"(?im)^([ \t]*(?:_condor_priv\w*|Capability|ClaimIds?|ClaimIdList|PairedClaimId|ChildClaimIds|TransferKey|PrivateKey\w*)[ \t]*=[ \t]*).*$")


def blacken(text: str, secrets: "list[str]") -> str:
    """The text without the secrets given, private keys, what stands behind the name of a secret or ticket, keys of IPsec and ssh, claims of HTCondor and
    arguments of its jobs. It takes a time that grows with the text's length and no faster, whoever wrote the text."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, BLACK)
    text = without_ends(_PEM.sub(BLACK, text))
    text = _SSH.sub(rf"\1 {BLACK}", text)
    text = _PRIVATE.sub(rf"\1{BLACK}", text)
    text = _CLAIM.sub(rf"\1{BLACK}", text)
    text = _ARGUMENTS.sub(rf"\1 {BLACK}", text)
    text = _IPSEC.sub(rf"\1{BLACK}", text)
    text = _OPTION.sub(rf"\1{BLACK}", _BEARER.sub(rf"\1{BLACK}", text))
    return _NAMED.sub(rf"\1{BLACK}", _IN_JSON.sub(rf'\1"{BLACK}"', text))


def without_ends(text: str) -> str:
    """The text without the ends of private keys whose beginnings were cut off: the line that ends one, the line before it, and those before that whose last
    word is base64."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if not _END.search(line):
            continue
        first = max(0, at - 1)
        while first > 0 and (words := lines[first - 1].split()) and _BASE64.fullmatch(words[-1]):
            first -= 1
        lines[first:at + 1] = [BLACK] * (at + 1 - first)
    return "\n".join(lines)
