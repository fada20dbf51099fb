using Ipopd.Composition;
using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Tests.Composition;

public sealed class OffloadReportTests
{
    private static readonly OffloadOptions All = new(true, true, true, true, true, true, true, true);

    [Fact]
    public void What_works_needs_no_words() =>
        Assert.All(OffloadReport.Make(Options(""), All), offload => Assert.Equal((true, null), (offload.On, offload.Why)));

    [Fact]
    public void Each_has_its_key_as_its_name() =>
        Assert.Equal(
            ["tcp-segmentation", "udp-segmentation", "udp-runs", "udp-gro", "library-cipher", "esp", "priority", "moderation"],
            OffloadReport.Make(Options(""), All).Select(offload => offload.Name));

    [Fact]
    public void What_is_switched_off_names_key_and_file()
    {
        IReadOnlyList<OffloadReply> said = OffloadReport.Make(
            Options("tcp-segmentation = no\nudp-segmentation = no\nudp-runs = no\nudp-gro = no\nlibrary-cipher = no\nesp = no\npriority = no\nmoderation = no"),
            new OffloadOptions(false, false, false, false, false, false, false, false));
        Assert.All(said, offload =>
        {
            Assert.False(offload.On);
            Assert.EndsWith($": [offload] {offload.Name} = no in /etc/ipopd.conf", offload.Why!, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void What_the_machine_can_t_do_says_whose_fault_it_is()
    {
        IReadOnlyList<OffloadReply> said = OffloadReport.Make(Options(""), new OffloadOptions(false, false, false, false, false, true, false, true));
        string[] faults = ["tap has no TSO", "tap has no USO", "refuses them in runs", "no UDP_GRO", "the library is missing"];
        for (int index = 0; index < faults.Length; index++)
        {
            Assert.False(said[index].On);
            Assert.Contains(faults[index], said[index].Why!, StringComparison.Ordinal);
            Assert.DoesNotContain("= no", said[index].Why!, StringComparison.Ordinal);
        }

        Assert.True(said[5].On);
        Assert.False(said[6].On);
        Assert.Contains("only processor", said[6].Why!, StringComparison.Ordinal);
    }

    private static DaemonOptions Options(string offload) => DaemonOptionsReader.Read(IniFile.Parse("/etc/ipopd.conf", System.Text.Encoding.UTF8.GetBytes(
        $"[node]\nstate = /s\n[pool]\nname = demo\nsubnet = 10.128.0.0/16\nsecret = {new string('a', 64)}\n[control]\nsocket = /c\n[offload]\n{offload}\n")));
}
