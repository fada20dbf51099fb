namespace Brunet.Nat.PortMapping;

/// <summary>What port mapping wants of the world. Nothing here may block or throw.</summary>
public interface IPortMapperOutput
{
    /// <summary>Sends a datagram to the gateway's port 5351, from <see cref="MappingGateway.Local"/>.</summary>
    void Ask(MappingGateway gateway, ReadOnlySpan<byte> datagram);

    /// <summary>Sends a datagram to 239.255.255.250 port 1900 on the gateway's network.</summary>
    void Search(MappingGateway gateway, ReadOnlySpan<byte> datagram);

    /// <summary>Connects to a TCP port of the gateway's own address, sends the request and reads what comes until the gateway closes.</summary>
    /// <param name="gateway">The only host that may be connected to.</param>
    /// <param name="port">The port.</param>
    /// <param name="request">An HTTP request.</param>
    /// <param name="done">Called exactly once, within seconds, with the reply, or with nothing if there was none.</param>
    void Exchange(MappingGateway gateway, ushort port, ReadOnlyMemory<byte> request, Action<TimeSpan, ReadOnlyMemory<byte>> done);

    /// <summary>There are other mappings than before.</summary>
    void MappingsChanged(TimeSpan now, IReadOnlyList<MappedPort> mappings);
}
