using Ipop.Offload;

namespace Ipop;

/// <summary>What the virtual network does to its machine. Spans are borrowed: copy before the call returns.</summary>
public interface ITapOutput
{
    /// <summary>Writes one Ethernet frame to the tap.</summary>
    void WriteFrame(ReadOnlySpan<byte> frame);

    /// <summary>Writes one Ethernet frame of which the machine's kernel does a part of the work.</summary>
    void WriteFrame(ReadOnlySpan<byte> frame, FrameOffload offload);

    /// <summary>
    /// Takes the tap's carrier away and gives it back, so that the guest's DHCP client asks anew: a NAK can't be pushed. Must not
    /// call back into the virtual network.
    /// </summary>
    void BounceCarrier();

    /// <summary>
    /// The local address changed. A daemon saves the address, but keeps the saved one when it becomes null: null only says that
    /// there is none now. Must not call back into the virtual network.
    /// </summary>
    void AddressChanged(IPv4Address? address);
}
