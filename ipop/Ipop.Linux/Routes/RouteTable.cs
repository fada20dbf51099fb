using System.Runtime.InteropServices;
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
        if (!_kernel.Ask(request[..length], RouteMessage.GetRoute, NetlinkMessage.Dump))
        {
            return found;
        }

        while (_kernel.Receive() is { Length: > 0 } part)
        {
            while (part.Length >= NetlinkMessage.HeaderSize)
            {
                int size = (int)MemoryMarshal.Read<uint>(part);
                ushort type = MemoryMarshal.Read<ushort>(part[4..]);
                if (size < NetlinkMessage.HeaderSize || size > part.Length || type is NetlinkMessage.Error or NetlinkMessage.Done)
                {
                    return found;
                }

                if (type == RouteMessage.NewRoute && RouteMessage.TryRead(part[..size], _interface, out IPv4Address prefix, out int prefixLength))
                {
                    found.Add((prefix, prefixLength));
                }

                part = part[Math.Min(part.Length, (size + 3) & ~3)..];
            }
        }

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
