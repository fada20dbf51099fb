namespace Ipop.Linux.Interfaces;

/// <summary>
/// Tells interfaces that lead to other machines from those that only lead into this one: containers, virtual machines, overlays. An address of
/// the latter is no place where a peer could reach this node, or it is the overlay itself.
/// </summary>
/// <param name="folder">/sys/class/net, or what stands for it in a test.</param>
public sealed class InterfaceKinds(string folder)
{
    private const int Deepest = 4;

    // What container and VM software calls its side of a cable that ends inside this machine. The other side is an ordinary interface to the
    // container, which may run a node; so a cable's kind alone says nothing.
    private static readonly string[] InnerNames =
    [
        "docker", "br-", "veth", "virbr", "vnet", "lxc", "lxd", "podman", "cni", "flannel", "cali", "cilium", "weave", "kube", "nodelocaldns",
        "wow", "tailscale", "zt", "nebula", "vboxnet", "vmnet",
    ];

    // DEVTYPE of tunnels (rtnetlink).
    private static readonly string[] TunnelTypes = ["wireguard", "vxlan", "geneve", "gre", "gretap", "ip6gre"];

    /// <summary>The kernel's.</summary>
    public static InterfaceKinds System { get; } = new("/sys/class/net");

    /// <summary>Whether an interface may lead to other machines without any help of this one.</summary>
    public bool LeadsOutside(string name)
    {
        string place = Path.Combine(folder, name);
        if (HasHardware(place, 0))
        {
            return true;
        }

        // A tap or tun is a program's; a bridge without hardware behind it joins what is inside.
        return !File.Exists(Path.Combine(place, "tun_flags"))
            && !Directory.Exists(Path.Combine(place, "bridge"))
            && !TunnelTypes.Contains(DeviceType(place))
            && !InnerNames.Any(inner => name.StartsWith(inner, StringComparison.Ordinal));
    }

    /// <summary>Whether it is hardware (a virtual machine's network card too) or stands upon some: VLAN, bond, bridge.</summary>
    private static bool HasHardware(string place, int depth)
    {
        if (Path.Exists(Path.Combine(place, "device")))
        {
            return true;
        }

        if (depth == Deepest || !Directory.Exists(place))
        {
            return false;
        }

        try
        {
            foreach (string lower in Directory.EnumerateFileSystemEntries(place, "lower_*"))
            {
                if (HasHardware(lower, depth + 1))
                {
                    return !File.Exists(Path.Combine(place, "tun_flags"));
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // It went away since it was looked for.
        }

        return false;
    }

    private static string DeviceType(string place)
    {
        try
        {
            foreach (string line in File.ReadLines(Path.Combine(place, "uevent")))
            {
                if (line.StartsWith("DEVTYPE=", StringComparison.Ordinal))
                {
                    return line["DEVTYPE=".Length..];
                }
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // It went away meanwhile; its addresses went with it.
        }

        return "";
    }
}
