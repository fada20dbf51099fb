using System.Net;
using Brunet.Addressing;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.State;

namespace Ipopd.Tests.State;

public sealed class StateFolderTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"state-{Guid.NewGuid():N}");

    [Fact]
    public void A_key_is_made_once_for_the_owner_alone_and_read_again()
    {
        StateFolder.Create("f", _folder);
        using NodeIdentity made = NodeIdentity.LoadOrCreate(_folder), read = NodeIdentity.LoadOrCreate(_folder);

        Assert.Equal(made.Address, read.Address);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(StateFolder.KeyFile(_folder)));
        Assert.Equal(64, made.Sign([1, 2, 3]).Length);
    }

    [Theory]
    [InlineData("")]
    [InlineData("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")]
    public void A_damaged_key_is_told_and_never_replaced(string contents)
    {
        StateFolder.Create("f", _folder);
        string path = StateFolder.KeyFile(_folder);
        File.WriteAllText(path, contents);

        Assert.Contains(path, Assert.Throws<ConfigurationException>(() => NodeIdentity.LoadOrCreate(_folder)).Message, StringComparison.Ordinal);
        Assert.Equal(contents, File.ReadAllText(path));
    }

    [Fact]
    public void A_folder_is_held_by_one_and_free_again_afterwards()
    {
        using (StateFolder.Take("f", _folder))
        {
            string message = Assert.Throws<ConfigurationException>(() => StateFolder.Take("/etc/x.conf", _folder)).Message;
            Assert.Equal($"/etc/x.conf: [node] state = {_folder} is in use by another ipopd; stop that one or give this one a folder of its own", message);
        }

        using StateFolder again = StateFolder.Take("f", _folder);
        Assert.Equal(_folder, again.Path);
    }

    [Fact]
    public void The_last_address_is_kept_and_a_damaged_file_is_no_address()
    {
        StateFolder.Create("f", _folder);
        Assert.Null(LastAddress.Read(_folder));
        LastAddress.Write(_folder, new IPv4Address(0x0a800304));
        Assert.Equal("10.128.3.4", LastAddress.Read(_folder).ToString());
        foreach (string damage in new[] { "", "{", "[]", "{\"address\":5}", "{\"address\":\"x\"}", "null" })
        {
            File.WriteAllText(Path.Combine(_folder, "address.json"), damage);
            Assert.Null(LastAddress.Read(_folder));
        }
    }

    [Fact]
    public void Peers_are_kept_for_the_owner_alone_and_damage_costs_only_what_is_damaged()
    {
        StateFolder.Create("f", _folder);
        Assert.Empty(PeersFile.Read(_folder));
        TransportAddress udp = TransportAddress.From(IPEndPoint.Parse("192.0.2.1:4433"));
        TransportAddress tcp = TransportAddress.From(IPEndPoint.Parse("[2001:db8::1]:443")) with { Protocol = TransportProtocol.Tcp };
        PeersFile.Write(_folder, [udp, tcp]);
        string path = Path.Combine(_folder, "peers.json");
        Assert.Equal("{\"peers\":[\"udp:192.0.2.1:4433\",\"tcp:[2001:db8::1]:443\"]}", File.ReadAllText(path));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        Assert.Equal([udp, tcp], PeersFile.Read(_folder));

        File.WriteAllText(path, "{\"peers\":[null,\"\",\"udp:\",\"x:192.0.2.1:1\",\"192.0.2.9:4433\",\"udp:host:4433\",\"udp:192.0.2.1:4433\"]}");
        Assert.Equal([udp], PeersFile.Read(_folder));
        foreach (string damage in new[] { "", "{", "[]", "{\"peers\":5}", "{\"peers\":[5]}", "null", new string(' ', 20_000) + "{\"peers\":[\"udp:192.0.2.1:4433\"]}" })
        {
            File.WriteAllText(path, damage);
            Assert.Empty(PeersFile.Read(_folder));
        }
    }

    public void Dispose()
    {
        if (Directory.Exists(_folder))
        {
            Directory.Delete(_folder, recursive: true);
        }
    }
}
