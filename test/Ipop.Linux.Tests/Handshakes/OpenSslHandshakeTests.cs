using System.Buffers;
using System.Security.Cryptography;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop.Linux.Handshakes;

namespace Ipop.Linux.Tests.Handshakes;

public sealed class OpenSslHandshakeTests : IDisposable
{
    private readonly ECDsa alphaKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly ECDsa betaKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
    private readonly TestCertificates pool = new();

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(1)]
    [InlineData(97)]
    public void Both_sides_learn_each_others_key_however_the_bytes_are_cut(int pieces)
    {
        using OpenSslHandshakeProvider alpha = Bare(alphaKey), beta = Bare(betaKey);
        using var pair = new HandshakePair(alpha, beta);

        Assert.Equal((HandshakeState.Complete, HandshakeState.Complete), pair.Run(pieces: pieces));

        Assert.Equal(betaKey.ExportSubjectPublicKeyInfo(), pair.Client.Peer.PublicKey.ToArray());
        Assert.Equal(NodeAddress.FromPublicKey(alphaKey.ExportSubjectPublicKeyInfo()), pair.Server.Peer.Address);
        Assert.Null(pair.Client.Peer.Certificate);
        Assert.Equal(3, pair.Flights.Count);
        Assert.True(pair.Flights.Sum() < 5000, $"flights of {string.Join(", ", pair.Flights)} bytes");
    }

    [Fact]
    public void Exported_secrets_are_equal_on_both_ends_and_differ_by_label_and_run()
    {
        using OpenSslHandshakeProvider alpha = Bare(alphaKey), beta = Bare(betaKey);
        using var pair = new HandshakePair(alpha, beta);
        using var other = new HandshakePair(alpha, beta);
        pair.Run();
        other.Run();

        Assert.Equal(Secret(pair.Client, "a"), Secret(pair.Server, "a"));
        Assert.NotEqual(Secret(pair.Client, "a"), Secret(pair.Client, "b"));
        Assert.NotEqual(Secret(pair.Client, "a"), Secret(other.Client, "a"));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void A_certificate_that_the_pool_signed_is_seen_by_the_other_side_and_only_that(bool client, bool server)
    {
        using OpenSslHandshakeProvider alpha = Maybe(alphaKey, client), beta = Maybe(betaKey, server);
        using var pair = new HandshakePair(alpha, beta);

        Assert.Equal((HandshakeState.Complete, HandshakeState.Complete), pair.Run());

        Assert.Equal(server, pair.Client.Peer.Certificate is not null);
        Assert.Equal(client, pair.Server.Peer.Certificate is not null);
    }

    [Fact]
    public void A_new_certificate_is_shown_in_the_next_handshake_and_a_running_one_survives()
    {
        using OpenSslHandshakeProvider alpha = Maybe(alphaKey, false), beta = Maybe(betaKey, false);
        using var before = new HandshakePair(alpha, beta);
        alpha.UseCertificate(pool.Sign(alphaKey));
        using var after = new HandshakePair(alpha, beta);

        before.Run();
        after.Run();

        Assert.Null(before.Server.Peer.Certificate);
        Assert.NotNull(after.Server.Peer.Certificate);
    }

    [Fact]
    public void A_certificate_of_another_key_is_refused_and_the_old_one_stays()
    {
        using OpenSslHandshakeProvider alpha = Maybe(alphaKey, true), beta = Maybe(betaKey, false);
        Assert.Throws<CryptographicException>(() => alpha.UseCertificate(pool.Sign(betaKey)));

        using var pair = new HandshakePair(alpha, beta);
        pair.Run();
        Assert.NotNull(pair.Server.Peer.Certificate);
    }

    [Fact]
    public void A_key_on_another_curve_is_refused()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        Assert.Throws<CryptographicException>(() => new OpenSslHandshakeProvider(key, [], null));
    }

    [Fact]
    public void Nonsense_fails_at_once_and_stays_failed()
    {
        using OpenSslHandshakeProvider alpha = Bare(alphaKey);
        using IHandshake server = alpha.StartServer(2);
        var sent = new ArrayBufferWriter<byte>();

        Assert.Equal(HandshakeState.Failed, server.Advance("GET / HTTP/1.1\r\n\r\n"u8, sent));
        Assert.Equal(HandshakeState.Failed, server.Advance([], sent));
        Assert.Throws<InvalidOperationException>(() => server.Peer);
        Assert.Throws<InvalidOperationException>(() => server.Export("a", new byte[16]));
    }

    [Fact]
    public void A_replayed_flight_of_another_run_never_completes()
    {
        using OpenSslHandshakeProvider alpha = Bare(alphaKey), beta = Bare(betaKey);
        byte[] recorded = [];
        using var first = new HandshakePair(alpha, beta);
        first.Run((turn, flight) => turn == 2 ? recorded = flight : flight);
        using var second = new HandshakePair(alpha, beta);

        (_, HandshakeState server) = second.Run((turn, flight) => turn == 2 ? recorded : flight);

        Assert.Equal(HandshakeState.Failed, server);
    }

    [Fact]
    public void Changed_bytes_never_complete_on_the_side_that_got_them_and_never_throw()
    {
        using OpenSslHandshakeProvider alpha = Maybe(alphaKey, true), beta = Maybe(betaKey, true);
        var random = new Random(20261121);
        for (int run = 0; run < 600; run++)
        {
            int at = run % 3;
            using var pair = new HandshakePair(alpha, beta);
            var state = pair.Run((turn, flight) => turn == at ? Mutate(random, flight) : flight);
            Assert.NotEqual((HandshakeState.Complete, HandshakeState.Complete), state);
        }
    }

    [Fact]
    public void Each_side_learns_the_others_boot_id_and_by_what_the_keys_were_agreed()
    {
        using OpenSslHandshakeProvider alpha = Bare(alphaKey), beta = Bare(betaKey);
        using var pair = new HandshakePair(alpha, beta);
        Assert.Throws<InvalidOperationException>(() => pair.Client.PeerBoot);
        Assert.Throws<InvalidOperationException>(() => pair.Client.KeyExchange);
        pair.Run();

        Assert.Equal((2ul, 1ul), (pair.Client.PeerBoot, pair.Server.PeerBoot));
        Assert.Equal(pair.Client.KeyExchange, pair.Server.KeyExchange);

        // Both ends are this library: hybrid with ML-KEM from 3.5 on, else the first of the others.
        bool isHybrid = SafeEvpPKeyHandle.OpenSslVersion >= 0x30500000;
        Assert.Equal(isHybrid ? "X25519MLKEM768" : "x25519", pair.Client.KeyExchange, ignoreCase: true);
    }

    [Theory]
    [InlineData(new[] { 2, 1 }, new[] { 1 }, 1)]
    [InlineData(new[] { 1 }, new[] { 2, 1 }, 1)]
    [InlineData(new[] { 2, 1 }, new[] { 2, 1 }, 2)]
    [InlineData(new[] { 1, 2 }, new[] { 2, 1 }, 2)]
    [InlineData(new[] { 2 }, new[] { 1 }, null)]
    public void An_old_and_a_new_node_agree_on_a_version_that_both_speak_or_tell_each_other_that_there_is_none(int[] client, int[] server, int? agreed)
    {
        using OpenSslHandshakeProvider alpha = new(alphaKey, [], null) { Versions = client }, beta = new(betaKey, [], null) { Versions = server };
        using var pair = new HandshakePair(alpha, beta);
        HandshakeState end = agreed is null ? HandshakeState.Failed : HandshakeState.Complete;
        Assert.Equal((end, end), pair.Run());
        Assert.Equal((agreed, agreed), (((OpenSslHandshake)pair.Client).Version, ((OpenSslHandshake)pair.Server).Version));
    }

    public void Dispose()
    {
        alphaKey.Dispose();
        betaKey.Dispose();
        pool.Dispose();
    }

    private static OpenSslHandshakeProvider Bare(ECDsa key) => new(key, [], null);

    private static byte[] Secret(IHandshake side, string label)
    {
        byte[] secret = new byte[32];
        side.Export(label, secret);
        return secret;
    }

    private static byte[] Mutate(Random random, byte[] flight)
    {
        byte[] changed = [.. flight];

        // The first record's header is not authenticated (RFC 8446 section 5.1: legacy_record_version is ignored), so leave it alone.
        int at = random.Next(5, changed.Length);
        switch (random.Next(4))
        {
            case 0:
                return changed[..random.Next(changed.Length)];
            case 1:
                changed[at] ^= (byte)(1 << random.Next(8));
                return changed;
            case 2:
                random.NextBytes(changed.AsSpan(at));
                changed[at] = (byte)~flight[at];
                return changed;
            default:
                // The last byte goes to the front: all record boundaries move.
                return [changed[^1], .. changed[..^1]];
        }
    }

    private OpenSslHandshakeProvider Maybe(ECDsa key, bool certified) => new(key, certified ? pool.Sign(key) : [], pool);
}
