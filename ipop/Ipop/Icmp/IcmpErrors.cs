using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Icmp;

/// <summary>
/// Tells the guest by ICMP (RFC 792) why its packet went no further. Never about ICMP errors, about other fragments than the first, or about what
/// went to more than one host (RFC 1812 section 4.3.2.7), and not too often (section 4.3.2.8).
/// </summary>
internal sealed class IcmpErrors
{
    /// <summary>Errors in a row, before the pause between two counts.</summary>
    private const int Burst = 10;

    /// <summary>Header of an error: type, code, checksum, two bytes unused, two for the MTU (RFC 1191 section 4).</summary>
    private const int HeaderSize = 8;

    /// <summary>Bytes of the whole error, IP header included (RFC 1812 section 4.3.2.3).</summary>
    private const int Largest = 576;

    private const byte DestinationUnreachable = 3;

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);

    private readonly IPv4Address _gateway;
    private readonly ITapOutput _output;
    private readonly Allowance _allowance = new(Burst, Pause);

    /// <summary>Makes it.</summary>
    /// <param name="gateway">Who speaks.</param>
    /// <param name="output">The tap.</param>
    public IcmpErrors(IPv4Address gateway, ITapOutput output) => (_gateway, _output) = (gateway, output);

    /// <summary>Tells the guest that one of its packets can't be delivered, if that may be told.</summary>
    /// <param name="now">The present.</param>
    /// <param name="guest">Whom.</param>
    /// <param name="packet">Which packet.</param>
    /// <param name="why">Why.</param>
    /// <param name="mtu">How long it may be, in bytes; only with <see cref="IcmpUnreachable.FragmentationNeeded"/>.</param>
    public void Send(TimeSpan now, MacAddress guest, IPv4Packet packet, IcmpUnreachable why, int mtu = 0)
    {
        if (!MayTell(packet) || !_allowance.TryTake(now))
        {
            return;
        }

        ReadOnlySpan<byte> quoted = packet.Bytes[..Math.Min(packet.Bytes.Length, Largest - IPv4Packet.MinimumHeaderSize - HeaderSize)];
        int length = IPv4Packet.MinimumHeaderSize + HeaderSize + quoted.Length;
        Span<byte> frame = stackalloc byte[EthernetFrame.HeaderSize + Largest];
        frame = frame[..(EthernetFrame.HeaderSize + length)];
        EthernetFrame.WriteHeader(frame, guest, MacAddress.Gateway, EthernetFrame.IPv4);
        Span<byte> error = frame[EthernetFrame.HeaderSize..];
        IPv4Packet.WriteHeader(error, length, IPv4Packet.Icmp, _gateway, packet.Source);
        Span<byte> message = error[IPv4Packet.MinimumHeaderSize..];
        message[..HeaderSize].Clear();
        message[0] = DestinationUnreachable;
        message[1] = (byte)why;
        BinaryPrimitives.WriteUInt16BigEndian(message[6..], (ushort)mtu);
        quoted.CopyTo(message[HeaderSize..]);
        BinaryPrimitives.WriteUInt16BigEndian(message[2..], InternetChecksum.Finish(InternetChecksum.Sum(message)));
        _output.WriteFrame(frame);
    }

    // Of ICMP only the question and the answer of ping: what else there is are errors, or nothing that an error helps.
    private static bool MayTell(IPv4Packet packet) =>
        packet.IsFirstPart && (packet.Protocol != IPv4Packet.Icmp || (!packet.Payload.IsEmpty && packet.Payload[0] is 0 or 8));
}
