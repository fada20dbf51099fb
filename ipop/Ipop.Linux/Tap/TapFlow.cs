using System.Buffers.Binary;

namespace Ipop.Linux.Tap;

/// <summary>
/// Which queue of the tap a frame's flow belongs to. The kernel sends a flow's packets to the queue that its other direction was last written to, so what is
/// chosen here for one direction holds for both (tun_flow_update in drivers/net/tun.c).
/// </summary>
internal static class TapFlow
{
    private const int EtherType = 12;
    private const int Header = 14;
    private const int Protocol = Header + 9;
    private const int Fragment = Header + 6;
    private const int Addresses = Header + 12;
    private const int ShortestHeader = 20;
    private const byte Tcp = 6;
    private const byte Udp = 17;

    /// <summary>From 0 to <paramref name="queues"/> - 1, by addresses, protocol and ports; 0 for what is no IPv4.</summary>
    /// <param name="frame">An Ethernet frame.</param>
    /// <param name="queues">How many there are.</param>
    internal static int QueueOf(ReadOnlySpan<byte> frame, int queues)
    {
        if (queues == 1 || frame.Length < Header + ShortestHeader || BinaryPrimitives.ReadUInt16BigEndian(frame[EtherType..]) != 0x0800)
        {
            return 0;
        }

        uint mixed = BinaryPrimitives.ReadUInt32BigEndian(frame[Addresses..]) + BinaryPrimitives.ReadUInt32BigEndian(frame[(Addresses + 4)..]) + frame[Protocol];
        int ports = Header + ((frame[Header] & 15) * 4);
        bool isFragment = (BinaryPrimitives.ReadUInt16BigEndian(frame[Fragment..]) & 0x3fff) != 0;
        if (frame[Protocol] is Tcp or Udp && !isFragment && frame.Length >= ports + 4)
        {
            mixed = (mixed * 0x9e3779b1) ^ BinaryPrimitives.ReadUInt32BigEndian(frame[ports..]);
        }

        // Fibonacci hashing: the product's high half depends on every bit.
        return (int)(((ulong)(mixed * 0x9e3779b1) * (uint)queues) >> 32);
    }
}
