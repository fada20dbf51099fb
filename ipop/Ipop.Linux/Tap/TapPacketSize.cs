using System.Runtime.InteropServices;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tap;

/// <summary>
/// How long the packets are that the kernel leaves whole. What one is cut into shall be one run of datagrams, which IPv4 limits to 65,507 bytes with headers
/// and seals; a longer packet would make a second run of two or three, which costs both ends as much as the first.
/// </summary>
internal static class TapPacketSize
{
    /// <summary>
    /// Bytes. The kernel takes off it what it keeps for headers (MAX_TCP_HEADER, 192 to 320), so that TCP sends 44 segments over paths of 1,439 bytes, 53 over paths of
    /// 1,200, and six over jumbo frames.
    /// </summary>
    internal const uint Longest = 61_400;

    private const ushort NewLink = 16, GsoMaxSize = 41;
    private const int LinkSize = 16, IndexAt = 4;

    /// <summary>Tells the kernel. One that refuses costs speed and nothing else.</summary>
    /// <exception cref="IOException">There is no rtnetlink to ask by, which ipopd can't do without.</exception>
    internal static void Limit(string tap)
    {
        Span<byte> request = stackalloc byte[NetlinkMessage.HeaderSize + LinkSize + NetlinkMessage.AttributeSize + sizeof(uint)];
        request.Clear();
        MemoryMarshal.Write(request[(NetlinkMessage.HeaderSize + IndexAt)..], RouteSocket.IndexOf(tap));
        NetlinkMessage.Add(request, NetlinkMessage.HeaderSize + LinkSize, GsoMaxSize, Longest);
        using RouteSocket kernel = RouteSocket.Open();
        kernel.Change(request, NewLink, 0);
    }
}
