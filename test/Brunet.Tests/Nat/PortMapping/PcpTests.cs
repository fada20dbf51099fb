using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

public sealed class PcpTests
{
    private static readonly TransportAddress Outside = TransportAddress.FromIPv4(0xc0000207, 4433);

    private readonly FakeGateway _net = new();

    [Fact]
    public void The_request_is_that_of_RFC_6887()
    {
        _net.Start();

        byte[] request = Assert.Single(_net.Asked);
        Assert.Equal(60, request.Length);
        Assert.Equal([2, 1, 0, 0, 0, 0, 0x0e, 0x10], request[..8]);
        Assert.Equal([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 2], request[8..24]);
        Assert.Equal([17, 0, 0, 0, 0x11, 0x51, 0x11, 0x51], request[36..44]);
        Assert.Equal([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], request[44..]);
    }

    [Fact]
    public void A_grant_is_a_mapping_and_ends_the_other_methods()
    {
        Grant();

        MappedPort mapped = Assert.Single(_net.Mapper.Mapped);
        Assert.Equal((MappingMethod.Pcp, Outside, true), (mapped.By, mapped.External, mapped.IsPublic));
        Assert.Single(_net.Changes);
        int asked = _net.Asked.Count;
        _net.Run(TimeSpan.FromMinutes(20));
        Assert.Equal(asked, _net.Asked.Count);
        Assert.All(_net.Asked, request => Assert.Equal(2, request[0]));
        Assert.Empty(_net.Exchanged);
    }

    [Fact]
    public void A_mapping_is_renewed_at_half_of_its_life_with_the_same_nonce_and_outside_port()
    {
        Grant();
        byte[] first = _net.Asked[^1];
        _net.Run(TimeSpan.FromMinutes(31));

        byte[] second = _net.Asked[^1];
        Assert.Equal(2, _net.Asked.Count);
        Assert.Equal(first[24..36], second[24..36]);
        Assert.Equal([0xc0, 0, 2, 7], second[56..]);
    }

    [Fact]
    public void An_answer_from_elsewhere_is_no_answer()
    {
        foreach (TransportAddress source in (TransportAddress[])[TransportAddress.FromIPv4(0x0a000003, 5351), TransportAddress.FromIPv4(0x0a000001, 5350)])
        {
            _net.Source = source;
            Grant();
            Assert.Empty(_net.Mapper.Mapped);
        }
    }

    [Fact]
    public void An_answer_with_another_nonce_is_no_answer()
    {
        _net.Answer = request =>
        {
            if (request[0] != 2)
            {
                return null;
            }

            byte[] answer = _net.Pcp(request);
            answer[24] ^= 1;
            return answer;
        };
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(10));

        Assert.Empty(_net.Mapper.Mapped);
    }

    [Fact]
    public void Word_of_another_version_that_answers_no_question_ends_no_mapping()
    {
        _net.Answer = request => request[0] == 2 ? _net.Pcp(request) : null;
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(1));
        Assert.Single(_net.Mapper.Mapped);
        int asked = _net.Asked.Count;
        _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, [0, 0x81, 0, 1, 0, 0, 0, 9]);
        _net.Run(TimeSpan.FromMinutes(5));
        Assert.Equal(asked, _net.Asked.Count);
    }

    [Fact]
    public void An_answer_cut_short_anywhere_is_no_answer()
    {
        _net.Start();
        byte[] whole = _net.Pcp(_net.Asked[0]);
        for (int length = 0; length < whole.Length; length++)
        {
            _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, whole.AsSpan(0, length));
        }

        Assert.Empty(_net.Mapper.Mapped);
        _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, whole);
        Assert.Single(_net.Mapper.Mapped);
    }

    [Fact]
    public void A_gateway_that_began_anew_is_asked_again_at_once()
    {
        Grant();
        _net.Run(TimeSpan.FromMinutes(5));
        int asked = _net.Asked.Count;
        _net.Born = _net.Now;
        byte[] announcement = new byte[24];
        (announcement[0], announcement[1]) = (2, 0x80);
        _net.Mapper.ReceiveAnnouncement(_net.Now, FakeGateway.Gateway, _net.Source, announcement);

        // That it can't be spoken to by PCP is an answer to a question.
        _net.Mapper.ReceiveAnnouncement(_net.Now, FakeGateway.Gateway, _net.Source, [0, 0x81, 0, 1, 0, 0, 0, 9]);
        _net.Run(TimeSpan.FromMilliseconds(10));

        Assert.Equal(asked + 1, _net.Asked.Count);
        Assert.Single(_net.Mapper.Mapped);
    }

    /// <summary>RFC 6887 section 14.2 allows them.</summary>
    [Fact]
    public void A_flood_of_answers_to_no_question_is_told_twice_and_its_last_one_ten_seconds_later()
    {
        Grant();
        byte[] request = _net.Asked[0];
        for (int count = 1; count <= 1000; count++)
        {
            _net.Now += TimeSpan.FromMilliseconds(1);
            _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, _net.Pcp(request, port: (ushort)(5000 + count)));
            _net.Run(TimeSpan.Zero);
        }

        Assert.Equal([4433, 5001], _net.Changes.Select(ports => (int)ports[0].External.Port));
        _net.Run(TimeSpan.FromSeconds(10));
        Assert.Equal([4433, 5001, 6000], _net.Changes.Select(ports => (int)ports[0].External.Port));
        Assert.Equal(6000, Assert.Single(_net.Mapper.Mapped).External.Port);
    }

    [Fact]
    public void An_announcement_of_a_gateway_that_went_on_changes_nothing()
    {
        Grant();
        _net.Run(TimeSpan.FromMinutes(5));
        int asked = _net.Asked.Count;
        byte[] announcement = new byte[24];
        (announcement[0], announcement[1]) = (2, 0x80);
        System.Buffers.Binary.BinaryPrimitives.WriteUInt32BigEndian(announcement.AsSpan(8), _net.Epoch);
        _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, announcement);
        _net.Run(TimeSpan.FromSeconds(1));

        Assert.Equal(asked, _net.Asked.Count);
    }

    [Fact]
    public void A_refusal_is_followed_by_ever_rarer_tries()
    {
        var times = new List<TimeSpan>();
        _net.Answer = request =>
        {
            if (request[0] == 2)
            {
                times.Add(_net.Now);
            }

            return request[0] == 2 ? _net.Pcp(request, result: 2) : null;
        };
        _net.Start();
        _net.Run(TimeSpan.FromHours(3));

        Assert.Empty(_net.Mapper.Mapped);
        var waits = times.Zip(times.Skip(1), (one, two) => two - one).ToList();
        Assert.InRange(waits[0].TotalSeconds, 108, 120);
        Assert.All(waits.Zip(waits.Skip(1)).Take(3), pair => Assert.True(pair.Second > pair.First * 1.7));
        Assert.All(waits.Skip(4), wait => Assert.InRange(wait.TotalMinutes, 27, 30));
    }

    [Fact]
    public void A_silent_gateway_is_asked_three_times_and_then_left_alone_for_a_while()
    {
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(60));

        Assert.Equal(3, _net.Asked.Count(request => request[0] == 2));
    }

    [Fact]
    public void A_stop_deletes_the_mapping()
    {
        Grant();
        _net.Mapper.Release(_net.Now);

        byte[] last = _net.Asked[^1];
        Assert.Equal([0, 0, 0, 0], last[4..8]);
        Assert.Equal(_net.Asked[0][24..36], last[24..36]);
        Assert.Empty(_net.Mapper.Mapped);
        Assert.Equal(TimeSpan.MaxValue, _net.Mapper.NextTick);
    }

    [Fact]
    public void Another_local_address_is_a_mapping_of_its_own()
    {
        Grant();
        MappingGateway moved = FakeGateway.Gateway with { Local = TransportAddress.FromIPv4(0x0a000009, 0) };
        _net.Mapper.SetGateways(_net.Now, [moved]);

        Assert.Empty(_net.Mapper.Mapped);
        Assert.Equal([10, 0, 0, 9], _net.Asked[^1][20..24]);
        Assert.NotEqual(_net.Asked[0][24..36], _net.Asked[^1][24..36]);
    }

    [Fact]
    public void The_same_gateways_again_change_nothing()
    {
        Grant();
        int asked = _net.Asked.Count;
        _net.Mapper.SetGateways(_net.Now, [FakeGateway.Gateway with { }]);

        Assert.Equal(asked, _net.Asked.Count);
        Assert.Single(_net.Mapper.Mapped);
    }

    [Theory]
    [InlineData(0x0a010203, false)]
    [InlineData(0xac100001, false)]
    [InlineData(0xac200001, true)]
    [InlineData(0xc0a80101, false)]
    [InlineData(0x64400001, false)]
    [InlineData(0x647fffff, false)]
    [InlineData(0x64800001, true)]
    [InlineData(0x643fffff, true)]
    [InlineData(0xa9fe0101, false)]
    [InlineData(0xe0000001, false)]
    [InlineData(0xc0000207, true)]
    public void A_private_or_shared_outside_address_is_told_but_not_public(uint external, bool isPublic)
    {
        _net.Answer = request => request[0] == 2 ? _net.Pcp(request, external: external) : null;
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(1));

        Assert.Equal(isPublic, Assert.Single(_net.Mapper.Mapped).IsPublic);
    }

    [Fact]
    public void With_IPv6_only_PCP_is_spoken_and_the_hole_is_at_our_own_address()
    {
        var own = new TransportAddress(0x20010db8_00000001, 2, 0);
        var gateway = new MappingGateway(new TransportAddress(0xfe80ul << 48, 1, 0), own, 2);
        _net.Mapper.SetGateways(_net.Now, [gateway]);
        _net.Run(TimeSpan.FromSeconds(3));

        Assert.All(_net.Asked, request => Assert.Equal(2, request[0]));
        Assert.Empty(_net.Searched);
        byte[] answer = _net.Pcp(_net.Asked[0]);
        own.WriteIPv6(answer.AsSpan(44));
        _net.Mapper.ReceiveAnswer(_net.Now, gateway, gateway.Address with { Port = 5351 }, answer);
        MappedPort mapped = Assert.Single(_net.Mapper.Mapped);
        Assert.Equal((own with { Port = 4433 }, true), (mapped.External, mapped.IsPublic));
    }

    private void Grant()
    {
        _net.Answer = request => request[0] == 2 ? _net.Pcp(request) : null;
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(1));
    }
}
