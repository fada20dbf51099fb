using Microsoft.Extensions.Logging;

namespace Ipopd.Logging;

/// <summary>
/// Everything that ipopd logs. A field means the same in every message: node, pool, address, host, path (a file), why (what the system said), key
/// (of the configuration). Names of events and fields are for programs and stay; the words may change.
/// </summary>
internal static partial class Log
{
    [LoggerMessage(EventName = "Started", Level = LogLevel.Information, Message = "node {Node} of pool {Pool}, UDP port {Port}, tap {Tap}", SkipEnabledCheck = true)]
    internal static partial void Started(this ILogger log, string node, string pool, int port, string tap);

    [LoggerMessage(
        EventName = "SaltOfProcessor", Level = LogLevel.Information, Message = "nonces are salted by the processor's generator (RDRAND)", SkipEnabledCheck = true)]
    internal static partial void SaltOfProcessor(this ILogger log);

    [LoggerMessage(
        EventName = "SaltOfKernel", Level = LogLevel.Information,
        Message = "nonces are salted by the kernel's generator: this processor has none; don't run two copies of one snapshot of this machine",
        SkipEnabledCheck = true)]
    internal static partial void SaltOfKernel(this ILogger log);

    [LoggerMessage(EventName = "KernelLogUnread", Level = LogLevel.Warning, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void KernelLogUnread(this ILogger log, string why);

    [LoggerMessage(
        EventName = "MachineCopied", Level = LogLevel.Warning,
        Message = "this machine was set back or copied (its VM Generation ID changed): all keys are dropped and agreed on anew", SkipEnabledCheck = true)]
    internal static partial void MachineCopied(this ILogger log);

    [LoggerMessage(
        EventName = "CopyNotMarked", Level = LogLevel.Warning,
        Message = "{Path} can't be written ({Why}): what else has keys on this machine keeps them; restart strongswan", SkipEnabledCheck = true)]
    internal static partial void CopyNotMarked(this ILogger log, string path, string why);

    [LoggerMessage(EventName = "Twin", Level = LogLevel.Critical, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void Twin(this ILogger log, string why);

    [LoggerMessage(EventName = "PoolIsOpen", Level = LogLevel.Warning, Message = "pool {Pool} is open: no CA, no IPsec; who knows the secret is in", SkipEnabledCheck = true)]
    internal static partial void PoolIsOpen(this ILogger log, string pool);

    [LoggerMessage(
        EventName = "NotPastIpsec", Level = LogLevel.Information,
        Message = "the kernel keeps IPsec policies of this machine on the overlay's own datagrams (no IPsec in it, or ipopd lacks CAP_NET_ADMIN)",
        SkipEnabledCheck = true)]
    internal static partial void NotPastIpsec(this ILogger log);

    [LoggerMessage(
        EventName = "TcpPortTaken", Level = LogLevel.Information,
        Message = "{Why}; without it fewer machines whose networks block UDP can connect to this one", SkipEnabledCheck = true)]
    internal static partial void TcpPortTaken(this ILogger log, string why);

    [LoggerMessage(EventName = "PortMapped", Level = LogLevel.Information, Message = "the gateway leads {Endpoint} here, by {Way}", SkipEnabledCheck = true)]
    internal static partial void PortMapped(this ILogger log, string endpoint, string way);

    [LoggerMessage(
        EventName = "PortMappedInside", Level = LogLevel.Information,
        Message = "the gateway leads {Endpoint} here, by {Way}, but stands behind another NAT itself: of no use to peers outside that one", SkipEnabledCheck = true)]
    internal static partial void PortMappedInside(this ILogger log, string endpoint, string way);

    [LoggerMessage(EventName = "PortUnmapped", Level = LogLevel.Information, Message = "the gateway leads {Endpoint} here no longer", SkipEnabledCheck = true)]
    internal static partial void PortUnmapped(this ILogger log, string endpoint);

    [LoggerMessage(
        EventName = "NoMulticast", Level = LogLevel.Information,
        Message = "{Why}; machines of the pool on this network are not heard when they ask for it", SkipEnabledCheck = true)]
    internal static partial void NoMulticast(this ILogger log, string why);

    [LoggerMessage(
        EventName = "FewQueues",
        Level = LogLevel.Warning,
        Message = "tap {Tap} has {Queues} of {Wanted} queues, so a flood in one flow costs others packets: it was made without multi_queue; restart the machine",
        SkipEnabledCheck = true)]
    internal static partial void FewQueues(this ILogger log, string tap, int queues, int wanted);

    [LoggerMessage(EventName = "RingJoined", Level = LogLevel.Information, Message = "on the ring", SkipEnabledCheck = true)]
    internal static partial void RingJoined(this ILogger log);

    [LoggerMessage(EventName = "RingLost", Level = LogLevel.Information, Message = "off the ring; looking for it again", SkipEnabledCheck = true)]
    internal static partial void RingLost(this ILogger log);

    [LoggerMessage(EventName = "AddressTaken", Level = LogLevel.Information, Message = "address {Address}", SkipEnabledCheck = true)]
    internal static partial void AddressTaken(this ILogger log, string address);

    [LoggerMessage(EventName = "MachineGone", Level = LogLevel.Information, Message = "{Address} is gone: connections there end at once", SkipEnabledCheck = true)]
    internal static partial void MachineGone(this ILogger log, string address);

    [LoggerMessage(EventName = "MachineTried", Level = LogLevel.Information, Message = "{Address} is tried again", SkipEnabledCheck = true)]
    internal static partial void MachineTried(this ILogger log, string address);

    [LoggerMessage(
        EventName = "AddressYielded", Level = LogLevel.Critical,
        Message = "this machine's address is not its own any more: another machine has the better claim, the CA refused it, or the certificate names another one; the interface's carrier goes and comes, so that its DHCP client asks anew",
        SkipEnabledCheck = true)]
    internal static partial void AddressYielded(this ILogger log);

    [LoggerMessage(EventName = "AddressLost", Level = LogLevel.Information, Message = "no address", SkipEnabledCheck = true)]
    internal static partial void AddressLost(this ILogger log);

    [LoggerMessage(
        EventName = "AddressNotKept", Level = LogLevel.Warning,
        Message = "{Path}: the address can't be kept for the next start ({Why}); make room on the disk", SkipEnabledCheck = true)]
    internal static partial void AddressNotKept(this ILogger log, string path, string why);

    [LoggerMessage(
        EventName = "PeersNotKept", Level = LogLevel.Warning,
        Message = "{Path}: where peers are can't be kept for the next start ({Why}); make room on the disk", SkipEnabledCheck = true)]
    internal static partial void PeersNotKept(this ILogger log, string path, string why);

    [LoggerMessage(
        EventName = "HostsNotKept", Level = LogLevel.Warning,
        Message = "{Path}: which host of the LAN has which address can't be kept for the next start ({Why}); make room on the disk", SkipEnabledCheck = true)]
    internal static partial void HostsNotKept(this ILogger log, string path, string why);

    [LoggerMessage(
        EventName = "AddressRefused", Level = LogLevel.Warning, Message = "the CA refuses address {Address}; taking the next claimable address", SkipEnabledCheck = true)]
    internal static partial void AddressRefused(this ILogger log, string address);

    [LoggerMessage(EventName = "SendingLimited", Level = LogLevel.Information, Message = "the owner's limit: {Speed} kB/s are sent at most; 0 is no limit", SkipEnabledCheck = true)]
    internal static partial void SendingLimited(this ILogger log, int speed);

    [LoggerMessage(
        EventName = "CertificateTaken", Level = LogLevel.Information,
        Message = "certificate {Serial} for {Host}, {Address}, until {NotAfter}", SkipEnabledCheck = true)]
    internal static partial void CertificateTaken(this ILogger log, string serial, string host, string address, string notAfter);

    [LoggerMessage(
        EventName = "ClockSet", Level = LogLevel.Warning, Message = "the clock was moved by {Seconds} s, as {Source} says, to {Time}", SkipEnabledCheck = true)]
    internal static partial void ClockSet(this ILogger log, double seconds, string source, string time);

    [LoggerMessage(EventName = "ClockNotSet", Level = LogLevel.Warning, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void ClockNotSet(this ILogger log, string why);

    [LoggerMessage(
        EventName = "NoticeTaken", Level = LogLevel.Information, Message = "notice {Number} of kind {Kind}, {Size} bytes", SkipEnabledCheck = true)]
    internal static partial void NoticeTaken(this ILogger log, ulong number, byte kind, int size);

    [LoggerMessage(
        EventName = "NoticeDropped", Level = LogLevel.Information, Message = "{Path} is gone: the newest key of the stack did not sign it", SkipEnabledCheck = true)]
    internal static partial void NoticeDropped(this ILogger log, string path);

    [LoggerMessage(EventName = "NoticeNotTaken", Level = LogLevel.Warning, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void NoticeNotTaken(this ILogger log, string why);

    [LoggerMessage(
        EventName = "NoticeNotKept", Level = LogLevel.Warning,
        Message = "{Path} can't be written ({Why}); after a restart the notice comes from the neighbours again", SkipEnabledCheck = true)]
    internal static partial void NoticeNotKept(this ILogger log, string path, string why);

    [LoggerMessage(
        EventName = "AuthorityTaken", Level = LogLevel.Information, Message = "the CA renewed its certificate, which ends {Until} now", SkipEnabledCheck = true)]
    internal static partial void AuthorityTaken(this ILogger log, string until);

    [LoggerMessage(
        EventName = "RevocationsTaken", Level = LogLevel.Information, Message = "the CA's list {Number} of revoked certificates, {Count} on it",
        SkipEnabledCheck = true)]
    internal static partial void RevocationsTaken(this ILogger log, ulong number, int count);

    [LoggerMessage(
        EventName = "RevocationsNotTaken", Level = LogLevel.Warning,
        Message = "list {Number} of revoked certificates can't be used ({Why}); its CA must make another", SkipEnabledCheck = true)]
    internal static partial void RevocationsNotTaken(this ILogger log, ulong number, string why);

    [LoggerMessage(
        EventName = "ManagersTaken", Level = LogLevel.Information,
        Message = "the CA's list {Number} of managers: {Count}, first {First}; the CA is on {Authority}", SkipEnabledCheck = true)]
    internal static partial void ManagersTaken(this ILogger log, ulong number, int count, string first, string authority);

    [LoggerMessage(
        EventName = "ManagersNotTaken", Level = LogLevel.Warning,
        Message = "list {Number} of managers can't be used ({Why}); its CA must sign another", SkipEnabledCheck = true)]
    internal static partial void ManagersNotTaken(this ILogger log, ulong number, string why);

    [LoggerMessage(
        EventName = "PeerRevoked", Level = LogLevel.Warning, Message = "{Host}, {Address}: its certificate {Serial} was revoked; its sessions are ended",
        SkipEnabledCheck = true)]
    internal static partial void PeerRevoked(this ILogger log, string host, string address, string serial);

    [LoggerMessage(EventName = "CertificateNone", Level = LogLevel.Information, Message = "no certificate", SkipEnabledCheck = true)]
    internal static partial void CertificateNone(this ILogger log);

    [LoggerMessage(EventName = "CertificateTrouble", Level = LogLevel.Warning, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void CertificateTrouble(this ILogger log, string why);

    [LoggerMessage(EventName = "SubnetOverlaps", Level = LogLevel.Critical, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void SubnetOverlaps(this ILogger log, string why);

    [LoggerMessage(
        EventName = "PartSpins", Level = LogLevel.Error,
        Message = "the part {Part} of ipopd wants to run all the time and does nothing; it is put off, four times a second must do. This is a fault: report it with this journal",
        SkipEnabledCheck = true)]
    internal static partial void PartSpins(this ILogger log, string part);

    [LoggerMessage(
        EventName = "NetworksUnknown", Level = LogLevel.Warning, Message = "this machine's addresses can't be read ({Why}); those of before count, and are asked for again",
        SkipEnabledCheck = true)]
    internal static partial void NetworksUnknown(this ILogger log, string why);

    [LoggerMessage(
        EventName = "KernelShort", Level = LogLevel.Warning,
        Message = "the kernel has no more descriptors or memory for ipopd: who connects waits; `wow status` says how often that happens", SkipEnabledCheck = true)]
    internal static partial void KernelShort(this ILogger log);

    [LoggerMessage(
        EventName = "CaptureFailed", Level = LogLevel.Warning, Message = "{File}: {Key} = {Path} can't be written ({Why}); nothing is recorded", SkipEnabledCheck = true)]
    internal static partial void CaptureFailed(this ILogger log, string file, string key, string path, string why);

    [LoggerMessage(EventName = "CaptureEnded", Level = LogLevel.Warning, Message = "the record {Path} ends here ({Why}); a restart begins it anew", SkipEnabledCheck = true)]
    internal static partial void CaptureEnded(this ILogger log, string path, string why);

    [LoggerMessage(
        EventName = "BootstrapUnresolved", Level = LogLevel.Warning,
        Message = "bootstrap {Bootstrap} does not resolve ({Why}); trying on. Check [pool] bootstrap and this machine's DNS", SkipEnabledCheck = true)]
    internal static partial void BootstrapUnresolved(this ILogger log, string bootstrap, string why);

    [LoggerMessage(EventName = "CannotRun", Level = LogLevel.Error, Message = "{Why}", SkipEnabledCheck = true)]
    internal static partial void CannotRun(this ILogger log, string why);
}
