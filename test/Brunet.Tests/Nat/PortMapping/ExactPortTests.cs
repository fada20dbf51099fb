using System.Buffers.Binary;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

/// <summary>TCP's port 443 is of use at the gateway's port 443 alone; what else the gateway maps does not depend on it.</summary>
public sealed class ExactPortTests
{
    private const byte TcpNumber = 6;

    private readonly FakeGateway _net = new(new MappingWish(TransportProtocol.Tcp, 443) { IsExact = true });

    [Theory]
    [InlineData(443, true)]
    [InlineData(444, false)]
    public void Another_port_that_PCP_grants_is_given_back(ushort granted, bool isKept)
    {
        _net.Answer = request => _net.Pcp(request, port: request[36] == TcpNumber ? granted : (ushort)4433, seconds: BinaryPrimitives.ReadUInt32BigEndian(request.AsSpan(4)));
        Run();

        Assert.Equal(isKept ? [4433, 443] : [4433], Ports());
        byte[] last = _net.Asked.Last(request => request[36] == TcpNumber);
        Assert.Equal(isKept ? 3600u : 0u, BinaryPrimitives.ReadUInt32BigEndian(last.AsSpan(4)));
    }

    [Theory]
    [InlineData(443, true)]
    [InlineData(444, false)]
    public void Another_port_that_NAT_PMP_grants_is_given_back(ushort granted, bool isKept)
    {
        const byte MapTcp = 2;
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request, port: request[1] == MapTcp ? granted : (ushort)4433);
        Run();

        Assert.Equal(isKept ? [4433, 443] : [4433], Ports());
        byte[] last = _net.Asked.Last(request => request.Length == 12 && request[1] == MapTcp);
        Assert.Equal(isKept ? 3600u : 0u, BinaryPrimitives.ReadUInt32BigEndian(last.AsSpan(8)));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(606, false)]
    [InlineData(718, false)]
    public void A_refusal_by_UPnP_is_taken_and_costs_nothing_else(int error, bool isKept)
    {
        _net.Location = "http://10.0.0.1:5000/root.xml";
        _net.Serve = request => Serve(request, error);
        Run();

        Assert.Equal(isKept ? [4444, 443] : [4444], Ports());
        Assert.Single(_net.Exchanged, exchange => exchange.Request.Contains("<NewInternalPort>443</NewInternalPort>", StringComparison.Ordinal));
        _net.Run(TimeSpan.FromMinutes(20));
        Assert.Contains(4444, Ports());
    }

    private void Run()
    {
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(4));
    }

    private int[] Ports() => [.. _net.Mapper.Mapped.Select(mapped => (int)mapped.External.Port)];

    /// <summary>A gateway of the second version, which chooses another port where it is let.</summary>
    private static string Serve(string request, int error)
    {
        const string Service = "urn:schemas-upnp-org:service:WANIPConnection:2";
        bool Has(string text) => request.Contains(text, StringComparison.Ordinal);
        string Body(string inner) => $"<s:Envelope xmlns:s=\"e\"><s:Body>{inner}</s:Body></s:Envelope>";
        return request.StartsWith("GET", StringComparison.Ordinal)
            ? Http("<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-org:device-1-0\"><device><serviceList><service>"
                + $"<serviceType>{Service}</serviceType><controlURL>/ctl</controlURL></service></serviceList></device></root>")
            : Has("#GetExternalIPAddress\"") ? Http(Body("<u:R xmlns:u=\"u\"><NewExternalIPAddress>192.0.2.7</NewExternalIPAddress></u:R>"))
            : Has("#AddAnyPortMapping\"") ? Http(Body("<u:R xmlns:u=\"u\"><NewReservedPort>4444</NewReservedPort></u:R>"))
            : error == 0 ? Http(Body("<u:R xmlns:u=\"u\"></u:R>"))
            : Http(Body($"<s:Fault><detail><UPnPError><errorCode>{error}</errorCode></UPnPError></detail></s:Fault>"), 500);
    }

    private static string Http(string body, int status = 200) => $"HTTP/1.1 {status} X\r\nContent-Length: {body.Length}\r\nConnection: close\r\n\r\n{body}";
}
