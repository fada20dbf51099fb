using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Routes;

/// <summary>
/// The kernel's routes by which ipopd says that a host of the subnet is unreachable (rtnetlink(7)). The kernel looks for a route before it thinks of IPsec, so
/// they hold where all is sealed: connect(2) ends with EHOSTUNREACH, and an open connection goes on trying as if its packets were lost. Not thread-safe.
/// </summary>
public sealed class UnreachableHosts : IDisposable
{
    private const int LargestRequest = 64;

    private readonly RouteSocket _kernel;
    private readonly Subnet _subnet;

    private UnreachableHosts(RouteSocket kernel, Subnet subnet) => (_kernel, _subnet) = (kernel, subnet);

    /// <summary>Opens those of a subnet. Such a route leads through no interface, so the subnet says whose it is.</summary>
    /// <exception cref="IOException">The kernel refuses.</exception>
    public static UnreachableHosts Open(Subnet subnet)
    {
        try
        {
            return new UnreachableHosts(RouteSocket.Open(), subnet);
        }
        catch (IOException exception)
        {
            throw new IOException($"routes of {subnet} can't be set: {exception.Message}", exception);
        }
    }

    /// <summary>Makes the route to a host. One without metric that somebody else made stays, and this one is not made.</summary>
    /// <returns>0, or the kernel's error number.</returns>
    public int Set(IPv4Address host) => Ask(RouteMessage.NewRoute, NetlinkMessage.Create | NetlinkMessage.Exclusive, host);

    /// <summary>Removes the route to a host; none is there after it.</summary>
    public void Remove(IPv4Address host) => Ask(RouteMessage.DeleteRoute, 0, host);

    /// <summary>All that are there, also those that an earlier run left.</summary>
    public List<IPv4Address> Read()
    {
        var found = new List<IPv4Address>();
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.WriteDump(request);
        _kernel.Dump(request[..length], RouteMessage.GetRoute, (type, message) =>
        {
            if (type == RouteMessage.NewRoute && RouteMessage.TryReadUnreachable(message, out IPv4Address host) && _subnet.Contains(host))
            {
                found.Add(host);
            }
        });
        return found;
    }

    /// <inheritdoc/>
    public void Dispose() => _kernel.Dispose();

    private int Ask(ushort type, ushort flags, IPv4Address host)
    {
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.WriteUnreachable(request, type, host);
        return _kernel.Change(request[..length], type, flags);
    }
}
