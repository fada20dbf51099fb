using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Routes;

/// <summary>The kernel's routes that ipopd made through one interface (rtnetlink(7)). Others are not looked at. Not thread-safe.</summary>
public sealed class RouteTable : IDisposable
{
    private const int LargestRequest = 128;

    private readonly RouteSocket _kernel;
    private readonly int _interface;

    private RouteTable(RouteSocket kernel, int interfaceIndex) => (_kernel, _interface) = (kernel, interfaceIndex);

    /// <summary>Opens the table of an interface.</summary>
    /// <exception cref="IOException">There is no such interface, or the kernel refuses.</exception>
    public static RouteTable Open(string interfaceName)
    {
        int index = RouteSocket.IndexOf(interfaceName);
        try
        {
            return index > 0 ? new RouteTable(RouteSocket.Open(), index) : throw new IOException("there is no such interface");
        }
        catch (IOException exception)
        {
            throw new IOException($"routes of {interfaceName} can't be set: {exception.Message}", exception);
        }
    }

    /// <summary>Makes a route, in place of one to the same prefix.</summary>
    /// <returns>0, or the kernel's error number: the source is no address of this machine, the interface is down, or ipopd may not.</returns>
    public int Set(in Route route) =>
        Ask(RouteMessage.NewRoute, NetlinkMessage.Create | NetlinkMessage.Replace, route);

    /// <summary>Removes a route; none is there after it.</summary>
    public void Remove(IPv4Address prefix, int prefixLength) =>
        Ask(RouteMessage.DeleteRoute, 0, new Route(prefix, prefixLength, default, 0, 0));

    /// <summary>All routes that are there, also those that an earlier run left.</summary>
    public List<(IPv4Address Prefix, int PrefixLength)> Read()
    {
        var found = new List<(IPv4Address, int)>();
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.WriteDump(request);
        _kernel.Dump(request[..length], RouteMessage.GetRoute, (type, message) =>
        {
            if (type == RouteMessage.NewRoute && RouteMessage.TryRead(message, _interface, out IPv4Address prefix, out int prefixLength))
            {
                found.Add((prefix, prefixLength));
            }
        });
        return found;
    }

    /// <inheritdoc/>
    public void Dispose() => _kernel.Dispose();

    private int Ask(ushort type, ushort flags, in Route route)
    {
        Span<byte> request = stackalloc byte[LargestRequest];
        int length = RouteMessage.Write(request, type, _interface, route);
        return _kernel.Change(request[..length], type, flags);
    }
}
