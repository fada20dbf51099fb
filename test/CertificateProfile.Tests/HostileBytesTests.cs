using System.Security.Cryptography;
using FsCheck;
using FsCheck.Fluent;

namespace CertificateProfile.Tests;

public sealed class HostileBytesTests : IDisposable
{
    private readonly TestPool _pool = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void Every_single_changed_byte_is_refused_without_an_exception()
    {
        byte[] der = _pool.Issue();
        for (int i = 0; i < der.Length; i++)
        {
            byte[] changed = (byte[])der.Clone();
            changed[i] ^= 1;
            Assert.False(_pool.Authority.TryVerify(changed, TestPool.Now, out _, out string reason), $"byte {i}");
            Assert.NotEmpty(reason);
        }
    }

    [Fact]
    public void Every_prefix_is_refused_without_an_exception()
    {
        byte[] der = _pool.Issue();
        for (int length = 0; length < der.Length; length++)
        {
            Assert.False(_pool.Authority.TryVerify(der.AsSpan(0, length), TestPool.Now, out _, out _));
            Assert.False(PoolAuthority.TryRead(_pool.Der.AsSpan(0, Math.Min(length, _pool.Der.Length - 1)), out _, out _));
        }

        Assert.False(_pool.Authority.TryVerify([.. der, 0], TestPool.Now, out _, out _));
    }

    [Fact]
    public void A_CA_certificate_whose_key_is_on_a_curve_that_nobody_knows_is_refused_without_an_exception()
    {
        byte[] der = (byte[])_pool.Der.Clone();
        byte[] p384 = [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22];
        int at = der.AsSpan().IndexOf(p384);
        der.AsSpan(at + 2, 4).Clear();
        Assert.False(PoolAuthority.TryRead(der, out _, out string reason));
        Assert.NotEmpty(reason);
    }

    [Fact]
    public void Random_damage_to_a_CA_certificate_never_throws() =>
        Prop.ForAll(ArbMap.Default.ArbFor<(int, byte, int, byte)>(), damage =>
        {
            byte[] der = (byte[])_pool.Der.Clone();
            (int first, byte with, int second, byte and) = damage;
            der[(int)((uint)first % der.Length)] = with;
            der[(int)((uint)second % der.Length)] = and;
            bool same = der.AsSpan().SequenceEqual(_pool.Der);
            return PoolAuthority.TryRead(der, out _, out _) == same;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Random_bytes_are_no_certificate() =>
        Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), bytes =>
            !_pool.Authority.TryVerify(bytes, TestPool.Now, out _, out _)
            && !PoolAuthority.TryRead(bytes, out _, out _)
            && !NodeKey.IsP256(bytes)).QuickCheckThrowOnFailure();

    [Fact]
    public void A_huge_certificate_is_refused_before_it_is_read() =>
        Assert.False(_pool.Authority.TryVerify(RandomNumberGenerator.GetBytes(1_000_000), TestPool.Now, out _, out _));
}
