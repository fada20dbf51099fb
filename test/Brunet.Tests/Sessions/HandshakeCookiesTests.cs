using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Wire;

namespace Brunet.Tests.Sessions;

public sealed class HandshakeCookiesTests
{
    private static readonly TransportAddress Source = TransportAddress.FromIPv4(0xc6120001, 4433);

    private readonly HandshakeCookies _cookies = new(new Random(1));
    private readonly byte[] _cookie = new byte[ProtocolConstants.CookieSize];

    [Theory]
    [InlineData(0, true)]
    [InlineData(59, true)]
    [InlineData(61, true)]
    [InlineData(119, true)]
    [InlineData(121, false)]
    [InlineData(4000, false)]
    public void A_cookie_is_good_for_a_minute_at_least_and_two_at_most(int seconds, bool isGood)
    {
        _cookies.Make(TimeSpan.Zero, Source, Frame(1, 1), _cookie);
        Assert.Equal(isGood, _cookies.IsGood(TimeSpan.FromSeconds(seconds), Source, Frame(1, 1)));
    }

    [Fact]
    public void A_cookie_is_good_for_the_endpoint_and_the_handshake_that_it_was_made_for()
    {
        _cookies.Make(TimeSpan.Zero, Source, Frame(1, 1), _cookie);
        Assert.True(_cookies.IsGood(default, Source, Frame(1, 1)));
        Assert.False(_cookies.IsGood(default, Source with { Port = 4434 }, Frame(1, 1)));
        Assert.False(_cookies.IsGood(default, TransportAddress.FromIPv4(0xc6120002, 4433), Frame(1, 1)));
        Assert.False(_cookies.IsGood(default, Source, Frame(2, 1)));
        Assert.False(_cookies.IsGood(default, Source, Frame(1, 2)));
        Assert.False(new HandshakeCookies(new Random(2)).IsGood(default, Source, Frame(1, 1)));
        _cookie[^1] ^= 1;
        Assert.False(_cookies.IsGood(default, Source, Frame(1, 1)));
    }

    [Fact]
    public void No_cookie_is_no_good_one()
    {
        Assert.False(_cookies.IsGood(default, Source, Frame(1, 1)));
    }

    private HandshakeFrame Frame(uint sender, uint index) => new()
    {
        SenderIndex = index,
        ReceiverIndex = 0,
        Sender = new NodeAddress(sender, sender),
        Target = default,
        Offset = 0,
        Acknowledged = 0,
        Cookie = _cookie,
        Data = [],
    };
}
