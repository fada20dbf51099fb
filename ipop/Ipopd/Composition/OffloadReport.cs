using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>Which offloads work, and in plain words what is done in the place of those that do not.</summary>
internal static class OffloadReport
{
    /// <summary>One entry a switch of [offload].</summary>
    /// <param name="options">What is wanted.</param>
    /// <param name="working">What works on this machine now.</param>
    internal static IReadOnlyList<OffloadReply> Make(DaemonOptions options, OffloadOptions working)
    {
        OffloadOptions wanted = options.Offload;
        const string KernelOrCard = "the kernel or the network card refuses them";
        return
        [
            Entry(OptionKey.OffloadTcpSegmentation, wanted.TcpSegmentation, working.TcpSegmentation, "TCP packets are cut before ipopd sees them", "the kernel's tap has no TSO"),
            Entry(
                OptionKey.OffloadUdpSegmentation, wanted.UdpSegmentation, working.UdpSegmentation, "the tap's kernel gives and gets datagrams one by one",
                wanted.TcpSegmentation ? "the kernel's tap has no USO (Linux 6.2)" : $"{OptionKey.OffloadTcpSegmentation} = no"),
            Entry(OptionKey.OffloadUdpRuns, wanted.UdpRuns, working.UdpRuns, "datagrams are sent one by one", KernelOrCard + " in runs"),
            Entry(OptionKey.OffloadUdpGro, wanted.UdpGro, working.UdpGro, "datagrams are received one by one", "the kernel has no UDP_GRO"),
            Entry(
                OptionKey.OffloadLibraryCipher, wanted.LibraryCipher, working.LibraryCipher, "OpenSSL seals, more slowly than libipsec-mb",
                "the library is missing, has nothing for this processor or failed its test"),
            Entry(OptionKey.OffloadEsp, wanted.Esp, working.Esp, "ESP is sealed a second time, like everything else", ""),
            Entry(
                OptionKey.OffloadPriority, wanted.Priority, working.Priority, "packets wait while other programs compute",
                "this is the only processor, or ipopd may not (LimitRTPRIO=1 and LimitNICE=-20 in its unit allow it)"),
            Entry(OptionKey.OffloadModeration, wanted.Moderation, working.Moderation, "each datagram wakes ipopd, however many come", ""),
        ];

        OffloadReply Entry(OptionKey key, bool isWanted, bool isWorking, string instead, string why) => new(
            key.Name,
            isWanted && isWorking,
            isWanted && isWorking ? null : $"{instead}: {(isWanted ? why : $"{key} = no in {options.File}")}");
    }
}
