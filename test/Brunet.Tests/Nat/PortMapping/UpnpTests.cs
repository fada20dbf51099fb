using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

public sealed class UpnpTests
{
    private readonly FakeGateway _net = new() { Location = "http://10.0.0.1:5000/root.xml" };
    private int _version = 2;
    private int _error;
    private string _control = "/ctl/IPConn";

    public UpnpTests() => _net.Serve = Serve;

    [Theory]
    [InlineData(1, "AddPortMapping")]
    [InlineData(2, "AddAnyPortMapping")]
    public void Search_description_address_and_mapping_follow_each_other(int version, string action)
    {
        _version = version;
        Start();

        MappedPort mapped = Assert.Single(_net.Mapper.Mapped);
        Assert.Equal((MappingMethod.Upnp, TransportAddress.FromIPv4(0xc0000207, (ushort)(version == 2 ? 4444 : 4433))), (mapped.By, mapped.External));
        Assert.Equal(3, _net.Exchanged.Count);
        Assert.All(_net.Exchanged, exchange => Assert.Equal(5000, exchange.Port));
        Assert.StartsWith("GET /root.xml HTTP/1.1\r\nHost: 10.0.0.1:5000\r\n", _net.Exchanged[0].Request, StringComparison.Ordinal);
        Assert.Contains($"SOAPAction: \"urn:schemas-upnp-org:service:WANIPConnection:{version}#{action}\"", _net.Exchanged[2].Request, StringComparison.Ordinal);
        Assert.Contains("<NewInternalClient>10.0.0.2</NewInternalClient>", _net.Exchanged[2].Request, StringComparison.Ordinal);
        Assert.Contains("<NewExternalPort>4433</NewExternalPort><NewProtocol>UDP</NewProtocol>", _net.Exchanged[2].Request, StringComparison.Ordinal);
    }

    [Fact]
    public void Nothing_is_connected_to_while_a_better_method_may_still_answer()
    {
        _net.Start();
        _net.Run(TimeSpan.FromMilliseconds(990));
        Assert.Empty(_net.Exchanged);
        _net.Run(TimeSpan.FromMilliseconds(20));
        Assert.NotEmpty(_net.Exchanged);
    }

    [Fact]
    public void A_location_that_nobody_asked_for_is_passed_over()
    {
        _net.Location = null;
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(30));
        Assert.NotEmpty(_net.Searched);
        byte[] answer = System.Text.Encoding.ASCII.GetBytes($"HTTP/1.1 200 OK\r\nST: {_net.Searched[0].Split("\r\nST: ")[1].Trim()}\r\nLocation: http://10.0.0.1:5000/root.xml\r\n\r\n");
        _net.Mapper.ReceiveSearchAnswer(_net.Now, FakeGateway.Gateway, _net.Source with { Port = 1900 }, answer);
        _net.Run(TimeSpan.FromSeconds(10));
        Assert.Empty(_net.Exchanged);
    }

    [Theory]
    [InlineData("http://10.0.0.2:5000/root.xml")]
    [InlineData("http://10.0.0.1.example/root.xml")]
    [InlineData("http://10.0.0.1@192.0.2.1/root.xml")]
    [InlineData("http://192.0.2.1/?10.0.0.1")]
    [InlineData("http://[::ffff:10.0.0.1]/")]
    [InlineData("http://10.0.0.1:0/")]
    [InlineData("http://10.0.0.1:65536/")]
    [InlineData("http://10.0.0.1:+80/")]
    [InlineData("https://10.0.0.1/")]
    [InlineData("file:///etc/passwd")]
    [InlineData("http://10.0.0.1/a b")]
    [InlineData("http://010.0.0.1/")]
    public void A_location_that_is_not_on_the_gateway_is_never_connected_to(string location)
    {
        _net.Location = location;
        Start();

        Assert.Empty(_net.Exchanged);
        Assert.Empty(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_search_answer_of_another_host_is_not_listened_to()
    {
        _net.Source = TransportAddress.FromIPv4(0x0a000007, 5351);
        Start();

        Assert.Empty(_net.Exchanged);
    }

    [Theory]
    [InlineData("http://192.0.2.1/ctl")]
    [InlineData("//192.0.2.1/ctl")]
    [InlineData("/ctl\r\nX: y")]
    [InlineData("")]
    public void A_control_address_that_is_not_on_the_gateway_is_never_called(string control)
    {
        _control = control;
        Start();

        Assert.Single(_net.Exchanged);
        Assert.Empty(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_relative_control_address_is_on_the_gateway()
    {
        _control = "ctl/here";
        Start();

        Assert.StartsWith("POST /ctl/here HTTP/1.1", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        Assert.Single(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_port_that_is_taken_is_followed_by_others_a_few_times()
    {
        (_version, _error) = (1, 718);
        Start();

        var calls = _net.Exchanged.Where(exchange => exchange.Request.Contains("AddPortMapping\"", StringComparison.Ordinal)).ToList();
        Assert.Equal(5, calls.Count);
        Assert.Equal(5, calls.Select(call => call.Request).Distinct().Count());
        Assert.Empty(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_gateway_that_knows_no_leases_is_asked_without_one()
    {
        (_version, _error) = (1, 725);
        Start();

        Assert.Single(_net.Mapper.Mapped);
        Assert.Contains("<NewLeaseDuration>0</NewLeaseDuration>", _net.Exchanged[^1].Request, StringComparison.Ordinal);
    }

    [Fact]
    public void A_mapping_is_renewed_at_half_of_its_life_and_deleted_at_a_stop()
    {
        Start();
        int before = _net.Exchanged.Count;
        _net.Run(TimeSpan.FromMinutes(5));
        Assert.Equal(before + 2, _net.Exchanged.Count);
        Assert.Contains("<NewExternalPort>4444</NewExternalPort>", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        _net.Mapper.Release(_net.Now);

        Assert.Contains("#DeletePortMapping\"", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        Assert.Contains("<NewExternalPort>4444</NewExternalPort><NewProtocol>UDP</NewProtocol>", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        Assert.Empty(_net.Mapper.Mapped);
    }

    [Theory]
    [InlineData("10.0.0.2", 4433, true)]
    [InlineData("10.0.0.3", 4433, false)]
    [InlineData("10.0.0.2", 80, false)]
    public void A_mapping_that_was_not_answered_yet_at_a_stop_is_deleted_where_it_leads_here(string client, int port, bool isOurs)
    {
        _version = 1;
        _net.Serve = request =>
        {
            if (request.Contains("#AddPortMapping\"", StringComparison.Ordinal))
            {
                _net.Mapper.Release(_net.Now);
            }

            return request.Contains("#GetSpecificPortMappingEntry\"", StringComparison.Ordinal)
                ? Http("<s:Envelope xmlns:s=\"e\"><s:Body><u:R xmlns:u=\"u\">"
                    + $"<NewInternalPort>{port}</NewInternalPort><NewInternalClient>{client}</NewInternalClient></u:R></s:Body></s:Envelope>")
                : Serve(request);
        };
        Start();

        Assert.Contains($"#{(isOurs ? "DeletePortMapping" : "GetSpecificPortMappingEntry")}\"", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        Assert.Contains("<NewExternalPort>4433</NewExternalPort><NewProtocol>UDP</NewProtocol>", _net.Exchanged[^1].Request, StringComparison.Ordinal);
        Assert.Empty(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_gateway_that_stops_answering_is_searched_again_and_the_mapping_ends_with_its_life()
    {
        Start();
        _net.Serve = _ => "";
        _net.Run(TimeSpan.FromMinutes(9));
        Assert.Single(_net.Mapper.Mapped);
        _net.Run(TimeSpan.FromMinutes(12));
        Assert.Empty(_net.Mapper.Mapped);
        _net.Serve = Serve;
        _net.Run(TimeSpan.FromMinutes(11));
        Assert.Single(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_document_with_a_DTD_is_refused()
    {
        _net.Serve = _ => Http("<!DOCTYPE a [<!ENTITY b \"c\">]><root><service><serviceType>urn:schemas-upnp-org:service:WANIPConnection:1</serviceType>"
            + "<controlURL>/c</controlURL></service></root>");
        Start();

        Assert.Single(_net.Exchanged);
    }

    [Fact]
    public void A_chunked_reply_is_read_whole_and_a_damaged_one_not_at_all()
    {
        Assert.Equal("hello world", Body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5;x=y\r\nworld\r\n0\r\n\r\n"));
        Assert.Null(Body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nwor"));
        Assert.Null(Body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n"));
        Assert.Null(Body("HTTP/1.1 2\r\nX: a longer line\r\n\r\n"));
        Assert.Null(Body("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"));
        Assert.Equal("hell", Body("HTTP/1.0 200 OK\r\ncontent-length:4\r\n\r\nhello"));
        Assert.Equal("hello", Body("HTTP/1.0 200 OK\r\n\r\nhello"));
    }

    private static string? Body(string reply) =>
        HttpReply.Read(System.Text.Encoding.ASCII.GetBytes(reply)) is { } read ? System.Text.Encoding.ASCII.GetString(read.Body.Span) : null;

    private static string Http(string body, int status = 200) => $"HTTP/1.1 {status} X\r\nContent-Length: {body.Length}\r\n\r\n{body}";

    private void Start()
    {
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(2));
    }

    private string Serve(string request)
    {
        if (request.StartsWith("GET", StringComparison.Ordinal))
        {
            return Http(
                "<?xml version=\"1.0\"?><root xmlns=\"urn:schemas-upnp-org:device-1-0\"><device><serviceList><service>"
                + "<serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1</serviceType><controlURL>/ctl/L3F</controlURL></service></serviceList>"
                + $"<deviceList><device><serviceList><service><serviceType>urn:schemas-upnp-org:service:WANIPConnection:{_version}</serviceType>"
                + $"<controlURL>{_control}</controlURL></service></serviceList></device></deviceList></device></root>");
        }

        if (request.Contains("#GetExternalIPAddress\"", StringComparison.Ordinal))
        {
            return Http("<s:Envelope xmlns:s=\"e\"><s:Body><u:R xmlns:u=\"u\"><NewExternalIPAddress>192.0.2.7</NewExternalIPAddress></u:R></s:Body></s:Envelope>");
        }

        bool isRefused = _error == 718 || (_error == 725 && !request.Contains(">0</NewLeaseDuration>", StringComparison.Ordinal));
        return isRefused
            ? Http($"<s:Envelope xmlns:s=\"e\"><s:Body><s:Fault><detail><UPnPError><errorCode>{_error}</errorCode></UPnPError></detail></s:Fault></s:Body></s:Envelope>", 500)
            : Http("<s:Envelope xmlns:s=\"e\"><s:Body><u:R xmlns:u=\"u\"><NewReservedPort>4444</NewReservedPort></u:R></s:Body></s:Envelope>");
    }
}
