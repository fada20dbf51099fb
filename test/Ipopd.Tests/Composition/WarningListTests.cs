using System.Text;
using Ipopd.Composition;
using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Tests.Composition;

public sealed class WarningListTests
{
    [Fact]
    public void A_record_of_the_tap_is_told_as_long_as_it_goes_on_and_then_that_it_does_not()
    {
        const string Tap = "[tap]\nname = wow0\n";
        Assert.Empty(Captures(Tap, isRecorded: false));
        WarningReply going = Assert.Single(Captures(Tap + "capture = /x/wow0.pcap\n", isRecorded: true));
        WarningReply over = Assert.Single(Captures(Tap + "capture = /x/wow0.pcap\n", isRecorded: false));
        Assert.StartsWith("every frame of wow0 is recorded in /x/wow0.pcap; remove ", going.Text, StringComparison.Ordinal);
        Assert.StartsWith("no frame of wow0 is recorded in /x/wow0.pcap now, ", over.Text, StringComparison.Ordinal);
    }

    private static List<WarningReply> Captures(string tap, bool isRecorded)
    {
        DaemonOptions options = DaemonOptionsReader.Read(IniFile.Parse("/etc/ipopd.conf", Encoding.UTF8.GetBytes(
            $"[node]\nstate = /s\n[pool]\nname = demo\nsubnet = 10.128.0.0/16\nsecret = {new string('a', 64)}\n[control]\nsocket = /c\n{tap}")));
        return [.. WarningList.Make(options, [], [], null, null, null, null, isRecorded).Where(warning => warning.Code == WarningReply.CodeCapture)];
    }
}
