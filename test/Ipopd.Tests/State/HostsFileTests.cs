using Ipop;
using Ipop.Router;
using Ipopd.State;

namespace Ipopd.Tests.State;

public sealed class HostsFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-hosts-").FullName;

    [Fact]
    public void What_was_written_is_read_and_damage_costs_no_more_than_what_is_damaged()
    {
        Assert.Empty(HostsFile.Read(_folder));
        KnownHost[] hosts = [Host(0x02_aa_00_00_00_01, 0x0a80_0102), Host(0xfe_ff_ff_ff_ff_ff, 0x0a80_0103)];
        HostsFile.Write(_folder, hosts);
        Assert.Equal(hosts, HostsFile.Read(_folder));

        string file = Path.Combine(_folder, "hosts");
        Assert.Equal("02:aa:00:00:00:01 10.128.1.2\nfe:ff:ff:ff:ff:ff 10.128.1.3\n", File.ReadAllText(file));
        File.WriteAllText(file, "02:aa:00:00:00:01 10.128.1.2\n02:aa:00:00:00:01\n\n02:aa:00:00:00:0g 10.128.1.3\n02aa:00:00:00:00001 10.128.1.4\n02:aa:00:00:00:02 x\n");
        Assert.Equal([hosts[0]], HostsFile.Read(_folder));
        foreach (string damaged in new[] { "", "\0\n", " ", "{}", "02:aa:00:00:00:01 10.128.1.2\n" + new string(' ', 40000) })
        {
            File.WriteAllText(file, damaged);
            Assert.Empty(HostsFile.Read(_folder));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private static KnownHost Host(ulong mac, uint address) => new(new MacAddress(mac), new IPv4Address(address));
}
