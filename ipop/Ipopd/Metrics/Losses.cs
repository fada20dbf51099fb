namespace Ipopd.Metrics;

/// <summary>What bounded queues and the kernel kept from going on since the start. A reason of wow_lost_frames_total each, of the same name in snake_case.</summary>
/// <param name="WaitedForSession">Packets for a peer whose handshake was not done: more than wait, or it never was.</param>
/// <param name="CameBeforeSession">Sealed frames that overtook the end of their handshake, more than are kept.</param>
/// <param name="TcpQueueFull">Frames for a TCP connection that takes no more.</param>
/// <param name="UdpSendRefused">Datagrams that the kernel did not send.</param>
/// <param name="UdpReceiveQueueFull">Datagrams that came faster than they were read, of the overlay's own socket.</param>
/// <param name="TapWriteRefused">Frames for the guest that the tap did not take.</param>
internal sealed record Losses(
    long WaitedForSession, long CameBeforeSession, long TcpQueueFull, long UdpSendRefused, long UdpReceiveQueueFull, long TapWriteRefused)
{
    /// <summary>Each with its name.</summary>
    internal IEnumerable<(string Reason, long Count)> ByReason =>
    [
        (nameof(WaitedForSession), WaitedForSession),
        (nameof(CameBeforeSession), CameBeforeSession),
        (nameof(TcpQueueFull), TcpQueueFull),
        (nameof(UdpSendRefused), UdpSendRefused),
        (nameof(UdpReceiveQueueFull), UdpReceiveQueueFull),
        (nameof(TapWriteRefused), TapWriteRefused),
    ];
}
