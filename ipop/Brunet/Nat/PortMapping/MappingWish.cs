using Brunet.Addressing;

namespace Brunet.Nat.PortMapping;

/// <summary>A port of this machine that shall be reachable from outside.</summary>
/// <param name="Protocol">UDP or TCP.</param>
/// <param name="Port">The port here, and the one that is asked for outside.</param>
public readonly record struct MappingWish(TransportProtocol Protocol, ushort Port)
{
    /// <summary>Whether it is of no use at another port outside; it is not wanted then, and what else is mapped stands.</summary>
    public bool IsExact { get; init; }

    /// <inheritdoc/>
    public bool Equals(MappingWish other) => Protocol == other.Protocol && Port == other.Port;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine((int)Protocol, Port);

    /// <summary>Whether a port outside is not worth having.</summary>
    internal bool Refuses(ushort outside) => IsExact && outside != Port;

    /// <summary>The protocol's number in an IP header.</summary>
    internal byte Number => Protocol == TransportProtocol.Udp ? (byte)17 : (byte)6;

    /// <summary>The protocol's name in UPnP.</summary>
    internal string Name => Protocol == TransportProtocol.Udp ? "UDP" : "TCP";
}
