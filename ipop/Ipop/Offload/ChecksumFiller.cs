using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Makes the checksum that a kernel left out of a frame.</summary>
internal static class ChecksumFiller
{
    /// <summary>Fills it in, if it is missing; false if it would stand outside of the frame.</summary>
    public static bool TryFill(Span<byte> frame, FrameOffload offload)
    {
        if (!offload.LacksChecksum)
        {
            return true;
        }

        int at = offload.ChecksumStart + offload.ChecksumOffset;
        if (offload.ChecksumStart < EthernetFrame.HeaderSize || at + sizeof(ushort) > frame.Length)
        {
            return false;
        }

        // The field holds the pseudo-header's sum already. A sum of zero means none to UDP (RFC 768), and the same as 0xffff to TCP.
        ushort checksum = InternetChecksum.Finish(InternetChecksum.Sum(frame[offload.ChecksumStart..]));
        BinaryPrimitives.WriteUInt16BigEndian(frame[at..], checksum == 0 ? (ushort)0xffff : checksum);
        return true;
    }
}
