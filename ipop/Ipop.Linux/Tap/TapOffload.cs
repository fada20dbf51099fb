namespace Ipop.Linux.Tap;

/// <summary>What a tap's kernel leaves to its reader and takes from its writer: packets that are larger than the network's, and checksums.</summary>
/// <param name="Tcp">TCP packets that are not cut into segments yet (TUN_F_TSO4), and any packet without its checksum.</param>
/// <param name="Udp">UDP packets of several datagrams (TUN_F_USO4, Linux 6.2); only where <paramref name="Tcp"/> is.</param>
public readonly record struct TapOffload(bool Tcp, bool Udp);
