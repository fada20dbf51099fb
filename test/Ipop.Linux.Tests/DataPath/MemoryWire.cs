using Brunet.Addressing;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>A wire without a kernel: what is sent is copied, as a socket's batch does, and handed over when it is asked for.</summary>
internal sealed class MemoryWire
{
    private const int Slots = 128, SlotSize = 2048;

    private readonly byte[] _bytes = new byte[Slots * SlotSize];
    private readonly int[] _lengths = new int[Slots];
    private int _count;

    internal void Send(ReadOnlySpan<byte> datagram)
    {
        datagram.CopyTo(_bytes.AsSpan(_count * SlotSize, SlotSize));
        _lengths[_count++] = datagram.Length;
    }

    internal void Receive(TimeSpan now, TransportAddress source, Ipop.Linux.Udp.UdpSocket.Receiver receiver)
    {
        for (int index = 0; index < _count; index++)
        {
            receiver(now, source, _bytes.AsSpan(index * SlotSize, _lengths[index]));
        }

        _count = 0;
    }
}
