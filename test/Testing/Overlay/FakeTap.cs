using Ipop;
using Ipop.Offload;

namespace Testing.Overlay;

/// <summary>A tap that remembers what was done to it.</summary>
public sealed class FakeTap : ITapOutput
{
    /// <summary>Frames written and not yet taken, oldest first.</summary>
    public Queue<byte[]> Frames { get; } = [];

    /// <summary>What was left to the kernel of each of <see cref="Frames"/>.</summary>
    public Queue<FrameOffload> Offloads { get; } = [];

    /// <summary>Whether <see cref="Frames"/> is kept; else frames are only counted.</summary>
    public bool KeepsFrames { get; set; } = true;

    /// <summary>How many frames were written.</summary>
    public long FrameCount { get; private set; }

    /// <summary>How often the carrier was bounced.</summary>
    public int Bounces { get; private set; }

    /// <summary>Every address that was reported.</summary>
    public List<IPv4Address?> Addresses { get; } = [];

    /// <inheritdoc/>
    public void WriteFrame(ReadOnlySpan<byte> frame) => WriteFrame(frame, default);

    /// <inheritdoc/>
    public void WriteFrame(ReadOnlySpan<byte> frame, FrameOffload offload)
    {
        FrameCount++;
        if (KeepsFrames)
        {
            Frames.Enqueue(frame.ToArray());
            Offloads.Enqueue(offload);
        }
    }

    /// <inheritdoc/>
    public void BounceCarrier() => Bounces++;

    /// <inheritdoc/>
    public void AddressChanged(IPv4Address? address) => Addresses.Add(address);
}
