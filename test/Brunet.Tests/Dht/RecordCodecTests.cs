using System.Net;
using System.Security.Cryptography;
using Brunet.Dht;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Dht;

public sealed class RecordCodecTests : IDisposable
{
    private static readonly RecordKey Key = new(RecordKind.Address, "10.128.0.7");

    private readonly SimulatedIdentity _identity = new(new Random(1));

    public void Dispose() => _identity.Dispose();

    [Fact]
    public void A_signed_record_is_read_back_with_its_owner()
    {
        var codec = new RecordCodec(_identity, null);
        DhtRecord? record = codec.Read(codec.Sign(Key, new byte[ProtocolConstants.MaxRecordValueSize], 7));
        Assert.NotNull(record);
        Assert.Equal((Key, 7u, _identity.Address), (record.Key, record.Sequence, record.Owner.Address));
        Assert.Equal(ProtocolConstants.MaxRecordValueSize, record.Value.Length);
        Assert.Null(record.Owner.Certificate);
    }

    [Fact]
    public void A_change_of_any_byte_is_refused_and_so_are_cut_and_long_ones()
    {
        var codec = new RecordCodec(_identity, null);
        byte[] encoded = codec.Sign(Key, [1, 2, 3], 7);
        for (int i = 0; i < encoded.Length; i++)
        {
            byte[] changed = [.. encoded];
            changed[i] ^= 1;
            Assert.True(codec.Read(changed) is null, $"byte {i}");
            Assert.Null(codec.Read(encoded.AsSpan(0, i)));
        }

        Assert.Null(codec.Read([.. encoded, 0]));
        Assert.Null(codec.Read(new byte[ProtocolConstants.MaxRecordSize + 1]));
    }

    [Fact]
    public void A_value_or_name_that_is_too_long_is_not_signed()
    {
        var codec = new RecordCodec(_identity, null);
        Assert.Throws<ArgumentException>(() => codec.Sign(Key, new byte[ProtocolConstants.MaxRecordValueSize + 1], 1));
        Assert.Throws<ArgumentException>(() => codec.Sign(new RecordKey(RecordKind.Address, new string('a', 64)), [1], 1));
        Assert.Throws<ArgumentException>(() => codec.Sign(new RecordKey(RecordKind.Address, string.Empty), [1], 1));
        Assert.Null(codec.Read(codec.Sign(new RecordKey(RecordKind.Address, "Upper"), [1], 1)));
    }

    [Theory]
    [InlineData("1.3.132.0.34")]
    [InlineData("1.3.132.0.10")]
    public void A_key_of_another_curve_is_refused(string curve)
    {
        using ECDsa key = ECDsa.Create(ECCurve.CreateFromValue(curve));
        using var other = new ForeignIdentity(key);
        Assert.Null(new RecordCodec(_identity, null).Read(new RecordCodec(other, null).Sign(Key, [1], 1)));
    }

    [Fact]
    public void A_curve_that_the_platform_does_not_know_is_refused_and_does_not_throw()
    {
        byte[] strange = _identity.PublicKey.ToArray();
        strange[22] = 0x63;
        using var other = new ForeignIdentity(ECDsa.Create(ECCurve.NamedCurves.nistP256), strange);
        Assert.Null(new RecordCodec(_identity, null).Read(new RecordCodec(other, null).Sign(Key, [1], 1)));
    }

    [Fact]
    public void A_certificate_of_another_pool_or_none_at_all_is_refused()
    {
        var pool = new SimulatedAuthority();
        var stranger = new SimulatedAuthority();
        _identity.Certificate = stranger.Issue(_identity.Address, new IPAddress([10, 128, 0, 1]), "n", isManager: false);
        byte[] encoded = new RecordCodec(_identity, stranger).Sign(Key, [1], 1);
        Assert.Null(new RecordCodec(_identity, pool).Read(encoded));
        Assert.Null(new RecordCodec(_identity, null).Read(encoded));
    }

    [Fact]
    public void Random_bytes_never_throw()
    {
        var codec = new RecordCodec(_identity, null);
        var random = new Random(2);
        byte[] good = codec.Sign(Key, [1, 2, 3], 7);
        for (int i = 0; i < 5_000; i++)
        {
            byte[] bytes = [.. good];
            for (int j = random.Next(1, 6); j > 0; j--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            codec.Read(bytes);
            byte[] noise = new byte[random.Next(300)];
            random.NextBytes(noise);
            Assert.Null(codec.Read(noise));
        }
    }

    private sealed class ForeignIdentity(ECDsa key, byte[]? publicKey = null) : ILocalIdentity, IDisposable
    {
        public Brunet.Addressing.NodeAddress Address => Brunet.Addressing.NodeAddress.FromPublicKey(PublicKey.Span);

        public ReadOnlyMemory<byte> PublicKey { get; } = publicKey ?? key.ExportSubjectPublicKeyInfo();

        public MemberCertificate? Certificate => null;

        public byte[] Sign(ReadOnlySpan<byte> message)
        {
            // Cut to the length that the record has room for: the key must be refused before the signature counts.
            byte[] signature = key.SignData(message, HashAlgorithmName.SHA256);
            return signature[..64];
        }

        public void Dispose() => key.Dispose();
    }
}
