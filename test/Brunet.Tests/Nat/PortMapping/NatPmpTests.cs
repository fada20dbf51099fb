using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Brunet.Tests.Nat.PortMapping;

public sealed class NatPmpTests
{
    private readonly FakeGateway _net = new();

    [Fact]
    public void A_gateway_that_knows_only_NAT_PMP_says_so_and_is_asked_by_it_at_once()
    {
        TimeSpan begin = _net.Now;
        _net.Answer = request => request[0] == 2 ? [0, 0x81, 0, 1, 0, 0, 0, 9] : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(1));

        MappedPort mapped = Assert.Single(_net.Mapper.Mapped);
        Assert.Equal((MappingMethod.NatPmp, TransportAddress.FromIPv4(0xc0000207, 4433)), (mapped.By, mapped.External));
        Assert.Single(_net.Asked, request => request[0] == 2);
        Assert.True(_net.Now - begin <= TimeSpan.FromSeconds(1));
    }

    [Fact]
    public void A_gateway_that_is_silent_to_PCP_is_asked_half_a_second_later()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromMilliseconds(499));
        Assert.Empty(_net.Mapper.Mapped);
        _net.Run(TimeSpan.FromMilliseconds(2));

        Assert.Equal(MappingMethod.NatPmp, Assert.Single(_net.Mapper.Mapped).By);
        Assert.Equal([0, 1, 0, 0, 0x11, 0x51, 0x11, 0x51, 0, 0, 0x0e, 0x10], _net.Asked.Last(request => request.Length == 12));
    }

    [Fact]
    public void The_outside_port_that_was_granted_counts_and_is_asked_for_again()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request, port: 40000);
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(31));

        Assert.Equal(40000, Assert.Single(_net.Mapper.Mapped).External.Port);
        Assert.Equal([0x9c, 0x40], _net.Asked.Last(request => request.Length == 12)[6..8]);
    }

    [Fact]
    public void A_gateway_whose_clock_fell_back_is_asked_again()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(5));
        int asked = _net.Asked.Count;
        _net.Born = _net.Now;
        _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, _net.NatPmp([0, 0]));
        _net.Run(TimeSpan.FromMilliseconds(10));

        Assert.Equal(asked + 2, _net.Asked.Count);
    }

    [Fact]
    public void What_answers_no_question_moves_no_mapping_and_ends_none()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(1));
        byte[] map = [0, 1, 0, 0, 0x11, 0x51, .. new byte[6]];
        foreach (byte[] answer in (byte[][])[
            _net.NatPmp([0, 0], external: 0x06060606), _net.NatPmp(map, port: 666), _net.NatPmp([0, 0], result: 3), _net.NatPmp(map, result: 2), _net.NatPmp(map, seconds: 0)])
        {
            _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, answer);
        }

        Assert.Equal(TransportAddress.FromIPv4(0xc0000207, 4433), Assert.Single(_net.Mapper.Mapped).External);
        int asked = _net.Asked.Count;
        _net.Run(TimeSpan.FromMinutes(5));
        Assert.Equal(asked, _net.Asked.Count);
    }

    /// <summary>Who sends to the group needs not know which port asks, and can write the gateway's address.</summary>
    [Fact]
    public void An_announcement_has_the_gateway_asked_and_answers_nothing()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(1));
        int asked = _net.Asked.Count;
        TimeSpan born = _net.Born;
        _net.Born = _net.Now;
        _net.Mapper.ReceiveAnnouncement(_net.Now, FakeGateway.Gateway, _net.Source, _net.NatPmp([0, 0]));
        _net.Mapper.Tick(_net.Now);
        Assert.Equal(asked + 1, _net.Asked.Count);
        byte[] map = [0, 1, 0, 0, 0x11, 0x51, .. new byte[6]];
        foreach (byte[] lie in (byte[][])[_net.NatPmp([0, 0], external: 0x06060606), _net.NatPmp(map, port: 666), _net.NatPmp([0, 0], result: 3)])
        {
            _net.Mapper.ReceiveAnnouncement(_net.Now, FakeGateway.Gateway, _net.Source, lie);
        }

        _net.Born = born;
        _net.Run(TimeSpan.FromMinutes(1));
        Assert.Equal(TransportAddress.FromIPv4(0xc0000207, 4433), Assert.Single(_net.Mapper.Mapped).External);
        Assert.Equal(asked + 2, _net.Asked.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Whatever_the_gateways_clock_says_all_is_asked_for_anew_once_in_ten_seconds(bool isAnnounced)
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Start();
        _net.Run(TimeSpan.FromMinutes(1));
        int asked = _net.Asked.Count;
        Confuse(isAnnounced);
        Assert.Equal(asked + 2, _net.Asked.Count);
        _net.Run(TimeSpan.FromSeconds(10));
        Confuse(isAnnounced);
        Assert.Equal(asked + 4, _net.Asked.Count);
    }

    /// <summary>Within a second a hundred datagrams tell the wrong time.</summary>
    private void Confuse(bool isAnnounced)
    {
        TimeSpan born = _net.Born;
        for (int number = 0; number < 100; number++)
        {
            _net.Born = number % 2 == 0 ? _net.Now : TimeSpan.Zero;
            byte[] wrong = _net.NatPmp([0, 0]);
            _net.Born = born;
            if (isAnnounced)
            {
                _net.Mapper.ReceiveAnnouncement(_net.Now, FakeGateway.Gateway, _net.Source, wrong);
            }
            else
            {
                _net.Mapper.ReceiveAnswer(_net.Now, FakeGateway.Gateway, _net.Source, wrong);
            }

            _net.Run(TimeSpan.FromMilliseconds(10));
        }
    }

    [Fact]
    public void A_refusal_makes_no_mapping_and_a_stop_deletes_one()
    {
        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request, result: 2);
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(20));
        Assert.Empty(_net.Mapper.Mapped);

        _net.Answer = request => request[0] == 2 ? null : _net.NatPmp(request);
        _net.Run(TimeSpan.FromSeconds(130));
        Assert.Single(_net.Mapper.Mapped);
        _net.Mapper.Release(_net.Now);
        Assert.Equal([0, 1, 0, 0, 0x11, 0x51, 0, 0, 0, 0, 0, 0], _net.Asked[^1]);
    }

    [Fact]
    public void What_was_asked_for_and_not_answered_yet_is_deleted_at_a_stop()
    {
        _net.Answer = request => request[0] == 0 && request[1] == 0 ? _net.NatPmp(request) : null;
        _net.Start();
        _net.Run(TimeSpan.FromSeconds(2));
        Assert.Empty(_net.Mapper.Mapped);
        _net.Mapper.Release(_net.Now);
        Assert.Equal([0, 1, 0, 0, 0x11, 0x51, 0, 0, 0, 0, 0, 0], _net.Asked[^1]);
    }

    [Fact]
    public void Answers_cut_short_or_too_long_are_none()
    {
        byte[] whole = _net.NatPmp([0, 1, .. new byte[10]]);
        for (int length = 0; length < whole.Length; length++)
        {
            Assert.False(NatPmpAnswer.TryRead(whole.AsSpan(0, length), out _));
        }

        Assert.False(NatPmpAnswer.TryRead([.. whole, 0], out _));
    }
}
