using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tests.Interfaces;

public sealed class InterfaceKindsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-net-").FullName;

    [Theory]
    [InlineData("eth0")]
    [InlineData("enp3s0")]
    [InlineData("wlan0")]
    public void A_network_card_leads_outside(string name)
    {
        Make(name, "device/vendor");
        Assert.True(Kinds.LeadsOutside(name));
    }

    [Fact]
    public void A_containers_own_end_of_a_cable_leads_outside()
    {
        Make("eth0", "ifindex");
        Assert.True(Kinds.LeadsOutside("eth0"));
    }

    [Theory]
    [InlineData("docker0")]
    [InlineData("br-0123456789ab")]
    [InlineData("veth1a2b3c4")]
    [InlineData("virbr0")]
    [InlineData("vnet7")]
    [InlineData("lxcbr0")]
    [InlineData("lxdbr0")]
    [InlineData("podman1")]
    [InlineData("cni0")]
    [InlineData("flannel.1")]
    [InlineData("cali0123456789a")]
    [InlineData("kube-ipvs0")]
    [InlineData("wow3")]
    public void What_containers_and_virtual_machines_hang_on_is_inside_by_its_name(string name)
    {
        Make(name, "ifindex");
        Assert.False(Kinds.LeadsOutside(name));
        Assert.False(Kinds.LeadsOutside(name + "x"));
    }

    [Fact]
    public void A_tap_is_inside_whatever_its_name()
    {
        Make("eth7", "tun_flags");
        Assert.False(Kinds.LeadsOutside("eth7"));
    }

    [Theory]
    [InlineData("wireguard")]
    [InlineData("vxlan")]
    [InlineData("geneve")]
    public void A_tunnel_is_inside_whatever_its_name(string kind)
    {
        Make("net0", "uevent", $"DEVTYPE={kind}\nINTERFACE=net0\n");
        Assert.False(Kinds.LeadsOutside("net0"));
    }

    [Fact]
    public void A_bridge_leads_outside_if_a_network_card_is_in_it()
    {
        Make("eth0", "device/vendor");
        Make("veth1", "ifindex");
        Make("outer", "bridge/bridge_id");
        Link("outer", "veth1");
        Assert.False(Kinds.LeadsOutside("outer"));
        Link("outer", "eth0");
        Assert.True(Kinds.LeadsOutside("outer"));
    }

    [Fact]
    public void A_VLAN_on_a_bond_of_cards_leads_outside()
    {
        Make("eth0", "device/vendor");
        Make("bond0", "ifindex");
        Link("bond0", "eth0");
        Make("bond0.5", "uevent", "DEVTYPE=vlan\n");
        Link("bond0.5", "bond0");
        Assert.True(Kinds.LeadsOutside("bond0.5"));
    }

    [Fact]
    public void Interfaces_that_name_each_other_end()
    {
        Make("a", "bridge/x");
        Make("b", "bridge/x");
        Link("a", "b");
        Link("b", "a");
        Assert.False(Kinds.LeadsOutside("a"));
    }

    /// <summary>As a container's does when it ends: perhaps just between two looks at it.</summary>
    [Fact]
    public async Task An_interface_that_comes_and_goes_while_it_is_looked_at_does_no_harm()
    {
        const int Times = 5000;
        Task comesAndGoes = Task.Run(() =>
        {
            for (int time = 0; time < Times; time++)
            {
                Directory.Delete(Directory.CreateDirectory(Path.Combine(_folder, "veth1")).FullName);
            }
        });
        while (!comesAndGoes.IsCompleted)
        {
            Assert.False(Kinds.LeadsOutside("veth1"));
        }

        await comesAndGoes;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private InterfaceKinds Kinds => new(_folder);

    private void Make(string name, string file, string text = "")
    {
        string path = Path.Combine(_folder, name, file);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, text);
    }

    private void Link(string upper, string lower) =>
        Directory.CreateSymbolicLink(Path.Combine(_folder, upper, "lower_" + lower), Path.Combine(_folder, lower));
}
