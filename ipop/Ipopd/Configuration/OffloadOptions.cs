namespace Ipopd.Configuration;

/// <summary>What makes packets cheap, each with a switch: all of it may be off, and everything still works.</summary>
/// <param name="TcpSegmentation">Whether the tap's kernel leaves TCP packets whole, and gets them whole.</param>
/// <param name="UdpSegmentation">Whether the tap's kernel leaves UDP packets of several datagrams whole, and gets them whole.</param>
/// <param name="UdpRuns">Whether datagrams of one size to one destination are one call (UDP_SEGMENT).</param>
/// <param name="UdpGro">Whether the kernel joins datagrams that come (UDP_GRO).</param>
/// <param name="LibraryCipher">Whether libipsec-mb seals where it can; else OpenSSL does.</param>
/// <param name="Esp">Whether ESP, which the guest sealed already, has only its headers sealed.</param>
/// <param name="Priority">Whether the thread that carries packets runs before ordinary programs amid a flood of packets, or while they fill all processors.</param>
/// <param name="Moderation">Whether that thread rests for a moment amid a flood of packets, so that more comes at once.</param>
internal sealed record OffloadOptions(
    bool TcpSegmentation, bool UdpSegmentation, bool UdpRuns, bool UdpGro, bool LibraryCipher, bool Esp, bool Priority, bool Moderation);
