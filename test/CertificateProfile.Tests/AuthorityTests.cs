using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile.Tests;

public sealed class AuthorityTests : IDisposable
{
    private readonly TestPool _pool = new();

    public void Dispose() => _pool.Dispose();

    [Fact]
    public void A_CA_certificate_says_which_pool_it_is_for()
    {
        Assert.Equal("lab", _pool.Authority.Pool.Name);
        Assert.Equal(Subnet.Parse("10.128.0.0/16"), _pool.Authority.Pool.Subnet);
        Assert.Equal("manager.lab.internal", _pool.Authority.Pool.ManagerName);
        Assert.Equal(IPAddress.Parse("10.128.0.1"), _pool.Authority.Pool.FirstHost());
    }

    [Theory]
    [InlineData("10.0.0.0/8")]
    [InlineData("10.128.0.0/9")]
    [InlineData("172.20.4.0/22")]
    [InlineData("192.168.7.16/28")]
    public void Every_prefix_length_survives_the_certificate(string subnet)
    {
        using var pool = new TestPool(subnet: subnet);

        Assert.Equal(Subnet.Parse(subnet), pool.Authority.Pool.Subnet);
    }

    [Theory]
    [InlineData("lab", "10.128.0.1/16")]
    [InlineData("lab", "10.0.0.0/7")]
    [InlineData("lab", "10.0.0.0/29")]
    [InlineData("lab", "fd00::/16")]
    [InlineData("lab", "10.128")]
    [InlineData("lab", "")]
    [InlineData("Lab", "10.128.0.0/16")]
    [InlineData("a.b", "10.128.0.0/16")]
    [InlineData("-a", "10.128.0.0/16")]
    [InlineData("", "10.128.0.0/16")]
    public void A_bad_name_or_subnet_is_refused_with_a_reason(string name, string subnet)
    {
        Assert.False(PoolProfile.TryCreate(name, subnet, out _, out string reason));
        Assert.Contains(subnet == "10.128.0.0/16" ? "name" : "subnet", reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Other_peoples_CAs_are_refused()
    {
        var request = new CertificateRequest("CN=WOW CA, O=lab", _pool.AuthorityKey, HashAlgorithmName.SHA384);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        using X509Certificate2 plain = request.CreateSelfSigned(TestPool.Now, TestPool.Now.AddDays(1));

        Assert.False(PoolAuthority.TryRead(plain.RawData, out _, out string reason));
        Assert.NotEmpty(reason);
        Assert.False(PoolAuthority.TryRead(_pool.Issue(), out _, out _));
    }

    [Fact]
    public void The_CA_key_must_be_P384()
    {
        using var small = ECDsa.Create(ECCurve.NamedCurves.nistP256);

        Assert.Throws<ArgumentException>(() => CertificateIssuer.CreateAuthority(_pool.Authority.Pool, small, TestPool.Now));
    }

    [Fact]
    public void A_bad_CA_file_is_named_in_the_message()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        File.WriteAllText(path, "hello");
        try
        {
            Assert.Contains(path, Assert.Throws<InvalidDataException>(() => PoolAuthority.Load(path)).Message, StringComparison.Ordinal);
            File.WriteAllText(path, CertificatePem.Write(_pool.Issue()));
            Assert.Contains(path, Assert.Throws<InvalidDataException>(() => PoolAuthority.Load(path)).Message, StringComparison.Ordinal);
            File.WriteAllText(path, CertificatePem.Write(_pool.Der));
            Assert.Equal(_pool.Authority.Fingerprint, PoolAuthority.Load(path).Fingerprint);
        }
        finally
        {
            File.Delete(path);
        }
    }
}
