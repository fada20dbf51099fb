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

        // The field holds the pseudo-header's sum already.
        BinaryPrimitives.WriteUInt16BigEndian(frame[at..], InternetChecksum.FinishNonZero(InternetChecksum.Sum(frame[offload.ChecksumStart..])));
        return true;
    }
}
