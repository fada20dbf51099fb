using Ipop.Dns;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class DnsServerTests
{
    private const int NoError = 0;
    private const int FormatError = 1;
    private const int ServerFailure = 2;
    private const int NameError = 3;
    private const int NotImplemented = 4;
    private const int Refused = 5;

    private readonly FakeDht _dht = Machine.NewDht(Machine.Closed());
    private readonly Machine _machine;

    public DnsServerTests()
    {
        var boss = new Machine("boss", _dht, certificate: Peers.Certificate("boss", "10.128.0.1", isManager: true));
        boss.Dhcp.Bind();
        boss.Pass(1);
        _machine = new Machine("alpha", _dht, certificate: Peers.Certificate("alpha", "10.128.0.2"));
        _machine.Dhcp.Bind();
    }

    [Theory]
    [InlineData("boss.demo.internal", "10.128.0.1")]
    [InlineData("BOSS.Demo.Internal", "10.128.0.1")]
    [InlineData("manager.demo.internal", "10.128.0.1")]
    [InlineData("alpha.demo.internal", "10.128.0.2")]
    [InlineData("10-128-7-9.demo.internal", "10.128.7.9")]
    public void A_name_of_the_zone_has_an_address(string name, string address)
    {
        DnsMessage reply = Ask(name, DnsType.A);
        DnsMessage.Record answer = Assert.Single(reply.Answers);
        Assert.Equal((NoError, true), (reply.Code, reply.IsAuthoritative));
        Assert.Equal((name + ".", DnsType.A, address), (answer.Name, answer.Type, answer.Data));
        Assert.InRange(answer.Ttl, 5u, 30u);
        Assert.Equal(0x1234, reply.Id);
    }

    [Theory]
    [InlineData("boss.demo.internal", 28)]
    [InlineData("10-128-7-9.demo.internal", 28)]
    [InlineData("demo.internal", 1)]
    [InlineData("_tcp.demo.internal", 1)]
    [InlineData("_condor._tcp.demo.internal", 1)]
    [InlineData("1.0.128.10.in-addr.arpa", 1)]
    [InlineData("0.128.10.in-addr.arpa", 12)]
    [InlineData("128.10.in-addr.arpa", 12)]
    public void A_name_without_such_a_record_is_no_error_with_soa(string name, int type)
    {
        DnsMessage reply = Ask(name, (DnsType)type);
        Assert.Equal((NoError, 0), (reply.Code, reply.Answers.Count));
        AssertSoa(Assert.Single(reply.Authority), name);
    }

    [Theory]
    [InlineData("nobody.demo.internal", 1)]
    [InlineData("nobody.demo.internal", 28)]
    [InlineData("10-129-7-9.demo.internal", 1)]
    [InlineData("10-128-255-254.demo.internal", 1)]
    [InlineData("a.boss.demo.internal", 1)]
    [InlineData("-.demo.internal", 1)]
    [InlineData("_x._tcp.demo.internal", 33)]
    [InlineData("255.255.128.10.in-addr.arpa", 12)]
    [InlineData("x.0.128.10.in-addr.arpa", 12)]
    [InlineData("1.1.0.128.10.in-addr.arpa", 12)]
    public void A_name_that_nobody_has_is_a_name_error_with_soa(string name, int type)
    {
        DnsMessage reply = Ask(name, (DnsType)type);
        Assert.Equal((NameError, 0, true), (reply.Code, reply.Answers.Count, reply.IsAuthoritative));
        AssertSoa(Assert.Single(reply.Authority), name);
    }

    [Theory]
    [InlineData("debian.org")]
    [InlineData("internal")]
    [InlineData("xdemo.internal")]
    [InlineData("1.1.168.192.in-addr.arpa")]
    [InlineData("10.in-addr.arpa")]
    [InlineData("1.0.129.10.in-addr.arpa")]
    [InlineData("")]
    public void A_name_outside_our_zones_is_refused(string name) => Assert.Equal(Refused, Ask(name, DnsType.Any).Code);

    [Theory]
    [InlineData("_wow-ca._tcp.demo.internal", 8443, "ca.demo.internal.")]
    [InlineData("_condor._tcp.demo.internal", 9618, "manager.demo.internal.")]
    public void Services_are_the_manager_s(string name, int port, string host)
    {
        DnsMessage reply = Ask(name, DnsType.Srv);
        DnsMessage.Record service = Assert.Single(reply.Answers);
        Assert.Equal((port, host), (service.Port, service.Data));
        DnsMessage.Record address = Assert.Single(reply.Additional);
        Assert.Equal((host, "10.128.0.1"), (address.Name, address.Data));
    }

    [Fact]
    public void The_zone_has_a_start_of_authority() =>
        AssertSoa(Assert.Single(Ask("demo.internal", DnsType.Soa).Answers), "demo.internal");

    [Theory]
    [InlineData("demo.internal")]
    [InlineData("128.10.in-addr.arpa")]
    public void A_zone_names_its_server_which_has_an_address_that_the_tap_answers_at(string zone)
    {
        DnsMessage reply = Ask(zone, DnsType.Ns);
        DnsMessage.Record server = Assert.Single(reply.Answers);
        Assert.Equal((zone + ".", "ipopd.demo.internal."), (server.Name, server.Data));
        DnsMessage.Record address = Assert.Single(reply.Additional);
        Assert.Equal((server.Data, Machine.Subnet.Gateway.ToString()), (address.Name, address.Data));
        Assert.Equal(address.Data, Assert.Single(Ask("ipopd.demo.internal", DnsType.A).Answers).Data);
    }

    [Theory]
    [InlineData("1.0.128.10.in-addr.arpa", "boss.demo.internal.")]
    [InlineData("2.0.128.10.in-addr.arpa", "alpha.demo.internal.")]
    [InlineData("9.7.128.10.IN-ADDR.arpa", "10-128-7-9.demo.internal.")]
    public void An_address_has_a_name(string name, string host) =>
        Assert.Equal(host, Assert.Single(Ask(name, DnsType.Ptr).Answers).Data);

    [Fact]
    public void A_silent_dht_is_a_server_failure_but_not_for_what_needs_none()
    {
        _dht.IsSilent = true;
        Assert.Equal(ServerFailure, Ask("boss.demo.internal", DnsType.A).Code);
        Assert.Equal(NoError, Ask("alpha.demo.internal", DnsType.A).Code);
        Assert.Equal(NoError, Ask("10-128-7-9.demo.internal", DnsType.A).Code);
        Assert.Equal("10-128-0-1.demo.internal.", Assert.Single(Ask("1.0.128.10.in-addr.arpa", DnsType.Ptr).Answers).Data);
    }

    [Fact]
    public void Edns_is_echoed_and_only_when_it_was_there()
    {
        Assert.Empty(Ask("boss.demo.internal", DnsType.A).Additional);
        foreach (string name in new[] { "boss.demo.internal", "nobody.demo.internal", "debian.org" })
        {
            DnsMessage reply = Exchange(DnsMessage.Query(name, DnsType.A, hasEdns: true));
            Assert.Equal(DnsType.Opt, Assert.Single(reply.Additional).Type);
        }

        DnsMessage bad = Exchange(DnsMessage.Query("boss.demo.internal", DnsType.A, hasEdns: true, ednsVersion: 1));
        Assert.Equal((0, 1u << 24), (bad.Code, Assert.Single(bad.Additional).Ttl));
    }

    [Fact]
    public void Other_opcodes_are_not_implemented() =>
        Assert.Equal(NotImplemented, Exchange(DnsMessage.Query("boss.demo.internal", DnsType.A, opcode: 2)).Code);

    [Fact]
    public void Bad_messages_are_format_errors_and_replies_are_not_answered()
    {
        byte[] good = DnsMessage.Query("boss.demo.internal", DnsType.A);
        Assert.Equal(FormatError, Exchange(good[..^1]).Code);
        Assert.Equal(FormatError, Exchange([.. good[..5], 2, .. good[6..]]).Code);
        Assert.Equal(FormatError, Exchange([.. good[..12], 0xc0, 12, 0, 1, 0, 1]).Code);
        Assert.Equal(FormatError, Exchange([.. good[..11], 1, .. good[12..], 0xc0, 12]).Code);
        byte[] twice = DnsMessage.Query("boss.demo.internal", DnsType.A, hasEdns: true);
        Assert.Equal(FormatError, Exchange([.. twice[..11], 2, .. twice[12..], .. twice[^11..]]).Code);
        bool isAnswered = false;
        _machine.Network.Dns.Answer(_machine.Now, [.. good[..2], 0x80, .. good[3..]], _ => isAnswered = true);
        _machine.Network.Dns.Answer(_machine.Now, good.AsSpan(0, 11), _ => isAnswered = true);
        Assert.False(isAnswered);
    }

    [Fact]
    public void Other_classes_are_refused()
    {
        byte[] chaos = DnsMessage.Query("boss.demo.internal", DnsType.A);
        chaos[^1] = 3;
        Assert.Equal(Refused, Exchange(chaos).Code);
    }

    [Fact]
    public void The_second_question_for_a_name_needs_no_lookup_and_those_under_way_share_one()
    {
        _dht.IsSlow = true;
        List<int> answers = [];
        int before = _dht.Lookups;
        foreach (int type in new[] { 1, 28, 1 })
        {
            _machine.Network.Dns.Answer(_machine.Now, DnsMessage.Query("boss.demo.internal", (DnsType)type), reply => answers.Add(DnsMessage.Read(reply.Span).Answers.Count));
        }

        Assert.Empty(answers);
        _dht.Run(_machine.Now);
        Assert.Equal([1, 0, 1], answers);
        Assert.Equal((NoError, 0), (Ask("boss.demo.internal", (DnsType)28).Code, Ask("boss.demo.internal", (DnsType)28).Answers.Count));
        Assert.Equal(1, _dht.Lookups - before);
    }

    [Theory]
    [InlineData("alpha.demo.internal", NoError)]
    [InlineData("boss.demo.internal", NoError)]
    [InlineData("ipopd.demo.internal", NoError)]
    [InlineData("10-128-7-9.demo.internal", NoError)]
    [InlineData("10-129-7-9.demo.internal", NameError)]
    [InlineData("a.boss.demo.internal", NameError)]
    [InlineData("nobody.demo.internal", NameError)]
    [InlineData("demo.internal", NoError)]
    [InlineData("1.0.128.10.in-addr.arpa", NoError)]
    public void Whether_a_name_is_there_is_told_without_the_dht_where_its_form_or_the_last_seconds_tell(string name, int code)
    {
        Ask("boss.demo.internal", DnsType.A);
        Ask("nobody.demo.internal", DnsType.A);
        _dht.IsSlow = true;
        DnsMessage reply = Ask(name, (DnsType)28);
        Assert.Equal((code, 0), (reply.Code, reply.Answers.Count));
    }

    [Fact]
    public void A_name_that_came_is_found_after_two_seconds_and_one_that_went_is_gone_after_five()
    {
        Assert.Equal(NameError, Ask("late.demo.internal", DnsType.A).Code);
        var late = new Machine("late", _dht, certificate: Peers.Certificate("late", "10.128.0.3"));
        late.Dhcp.Bind();
        late.Pass(1);
        Assert.Equal(NameError, Ask("late.demo.internal", DnsType.A).Code);
        _machine.Pass(2);
        Assert.Equal(NoError, Ask("late.demo.internal", DnsType.A).Code);
        _dht.Records.Clear();
        Assert.Equal(NoError, Ask("late.demo.internal", DnsType.A).Code);
        _machine.Pass(5);
        Assert.Equal(NameError, Ask("late.demo.internal", DnsType.A).Code);
    }

    [Fact]
    public void The_cache_of_names_is_bounded()
    {
        for (int i = 0; i < NameCache.Capacity + 10; i++)
        {
            Assert.Equal(NameError, Ask($"nobody{i}.demo.internal", DnsType.A).Code);
        }

        int before = _dht.Lookups;
        Ask("nobody0.demo.internal", DnsType.A);
        Assert.Equal(0, _dht.Lookups - before);
        Ask($"nobody{NameCache.Capacity + 1}.demo.internal", DnsType.A);
        Assert.Equal(1, _dht.Lookups - before);
        _machine.Pass(2);
        before = _dht.Lookups;
        Ask("boss.demo.internal", DnsType.A);
        Ask("boss.demo.internal", DnsType.A);
        Assert.Equal(1, _dht.Lookups - before);
    }

    [Theory]
    [InlineData(252, Refused)]
    [InlineData(251, Refused)]
    [InlineData(250, Refused)]
    [InlineData(128, Refused)]
    [InlineData(41, FormatError)]
    public void What_is_no_type_of_records_is_refused(int type, int code) => Assert.Equal(code, Ask("boss.demo.internal", (DnsType)type).Code);

    [Theory]
    [InlineData("boss.demo.internal")]
    [InlineData("demo.internal")]
    [InlineData("_condor._tcp.demo.internal")]
    [InlineData("1.0.128.10.in-addr.arpa")]
    public void To_any_goes_one_record(string name) => Assert.Single(Ask(name, DnsType.Any).Answers);

    [Fact]
    public void The_longest_name_fits()
    {
        string label = new('x', 63);
        string name = $"{label}.{label}.{label}.{new string('y', 46)}.demo.internal";
        DnsMessage reply = Exchange(DnsMessage.Query(name, DnsType.A, hasEdns: true));
        Assert.Equal(NameError, reply.Code);
    }

    [Fact]
    public void Too_many_queries_at_once_fail_at_once()
    {
        _dht.IsSlow = true;
        int waiting = 0;
        List<int> codes = [];
        for (int i = 0; i < 600; i++)
        {
            int before = codes.Count;
            _machine.Network.Dns.Answer(_machine.Now, DnsMessage.Query("boss.demo.internal", DnsType.A), reply => codes.Add(DnsMessage.Read(reply.Span).Code));
            waiting += codes.Count == before ? 1 : 0;
        }

        Assert.Equal((512, 88), (waiting, codes.Count(code => code == ServerFailure)));
        Assert.Equal((NoError, NoError, NoError), (Ask("alpha.demo.internal", DnsType.A).Code, Ask("10-128-7-9.demo.internal", DnsType.A).Code, Ask("2.0.128.10.in-addr.arpa", DnsType.Ptr).Code));
        Assert.Equal((ServerFailure, ServerFailure), (Ask("manager.demo.internal", DnsType.A).Code, Ask("1.0.128.10.in-addr.arpa", DnsType.Ptr).Code));
        _dht.Run(_machine.Now);
        Assert.Equal(512, codes.Count(code => code == NoError));
    }

    [Fact]
    public void A_subnet_that_ends_inside_an_octet_has_its_own_reverse_zones()
    {
        var machine = new Machine("a", options: Machine.Closed() with { Subnet = Subnet.Parse("10.128.16.0/20") });
        Assert.Equal(Refused, Exchange(DnsMessage.Query("1.15.128.10.in-addr.arpa", DnsType.Ptr), machine).Code);
        Assert.Equal(Refused, Exchange(DnsMessage.Query("128.10.in-addr.arpa", DnsType.Soa), machine).Code);
        Assert.Equal("10-128-31-1.demo.internal.", Assert.Single(Exchange(DnsMessage.Query("1.31.128.10.in-addr.arpa", DnsType.Ptr), machine).Answers).Data);
        Assert.Equal("31.128.10.in-addr.arpa.", Assert.Single(Exchange(DnsMessage.Query("31.128.10.in-addr.arpa", DnsType.Soa), machine).Answers).Name);
    }

    [Theory]
    [InlineData("10.128.5.5", "10.128.5.5")]
    [InlineData("boss", "10.128.0.1")]
    [InlineData("Boss.demo.internal.", "10.128.0.1")]
    [InlineData("manager", "10.128.0.1")]
    [InlineData("nobody", null)]
    [InlineData("..", null)]
    public void The_control_socket_resolves_what_people_type(string name, string? address)
    {
        string? found = "no answer";
        _machine.Network.Resolve(_machine.Now, name, (_, answer) => found = answer?.ToString());
        Assert.Equal(address, found);
    }

    private static void AssertSoa(DnsMessage.Record record, string name)
    {
        Assert.Equal((DnsType.Soa, "ipopd.demo.internal."), (record.Type, record.Data));
        Assert.EndsWith(record.Name, name + ".", StringComparison.OrdinalIgnoreCase);
        Assert.Contains(record.Name, (string[])["demo.internal.", "128.10.in-addr.arpa."]);
    }

    private DnsMessage Ask(string name, DnsType type) => Exchange(DnsMessage.Query(name, type));

    private DnsMessage Exchange(byte[] query, Machine? machine = null)
    {
        machine ??= _machine;
        byte[]? reply = null;
        machine.Network.Dns.Answer(machine.Now, query, message => reply = message.ToArray());
        Assert.NotNull(reply);
        Assert.InRange(reply.Length, 12, 512);
        return DnsMessage.Read(reply);
    }
}
