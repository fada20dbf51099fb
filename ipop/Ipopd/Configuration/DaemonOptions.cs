using Ipop.Router;

namespace Ipopd.Configuration;

/// <summary>
/// Everything that the configuration file says, read and checked. A key of it is a property, of section's and key's names; what is made of the contract is the
/// other part of this type.
/// </summary>
internal sealed partial record DaemonOptions
{
    /// <summary>The file, for messages.</summary>
    internal required string File { get; init; }

    /// <summary>The LAN behind the tap, without the hosts that it had; null if the tap is this machine's alone.</summary>
    internal RouterOptions? Router => RouterLan ? new RouterOptions { Hosts = RouterHosts, HasRelays = RouterRelay, Routes = RouterRoutes } : null;

    /// <summary>What makes packets cheap, as far as it is wanted.</summary>
    internal OffloadOptions Offload => new(
        OffloadTcpSegmentation, OffloadUdpSegmentation, OffloadUdpRuns, OffloadUdpGro, OffloadLibraryCipher, OffloadEsp, OffloadPriority, OffloadModeration);
}
