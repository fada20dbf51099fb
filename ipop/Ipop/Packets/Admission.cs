using System.Buffers.Binary;
using Brunet.Sessions;
using Ipop.Ethernet;

namespace Ipop.Packets;

/// <summary>
/// That a packet of TCP from a peer was let in. The next ones of its stream come in the same round of the daemon. What five tables said of the first of them holds for
/// them, too: it was decided by the two addresses and the peer alone. What is looked at in each packet is not in here. The zero value lets none in.
/// </summary>
internal readonly struct Admission(TimeSpan now, PeerIdentity peer, IPv4Packet packet, MacAddress station, bool isCertified)
{
    private readonly TimeSpan _now = now;
    private readonly PeerIdentity? _peer = peer;
    private readonly ulong _addresses = Addresses(packet);

    /// <summary>Where packets to its destination go.</summary>
    public MacAddress Station { get; } = station;

    /// <summary>Whether its sender had a certificate.</summary>
    public bool IsCertified { get; } = isCertified;

    /// <summary>Whether a packet is let in with it: of TCP, without options, which would have to be looked at, and of the same moment, for all else changes with time.</summary>
    public bool Holds(TimeSpan now, PeerIdentity peer, IPv4Packet packet) =>
        ReferenceEquals(peer, _peer) && now == _now && packet.Protocol == IPv4Packet.Tcp && packet.HeaderSize == IPv4Packet.MinimumHeaderSize
        && Addresses(packet) == _addresses;

    private static ulong Addresses(IPv4Packet packet) => BinaryPrimitives.ReadUInt64LittleEndian(packet.Bytes[12..]);
}
