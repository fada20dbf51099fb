using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ipop.Linux.Handshakes;

namespace Ipop.Linux.Tcp;

/// <summary>
/// The TLS that TCP links are wrapped in, as any web browser and server speak it, because some networks let nothing else pass. It proves
/// nothing about anybody and need not: what it carries is sealed end to end. So nobody's certificate is looked at, and ours says nothing.
/// </summary>
internal static unsafe class TlsContext
{
    /// <summary>What a browser offers (RFC 7301 section 3.1).</summary>
    private static ReadOnlySpan<byte> Alpn => "\x02h2\x08http/1.1"u8;

    /// <summary>Makes a context for the side that connects.</summary>
    internal static SslContextHandle CreateClient()
    {
        SslContextHandle context = Create();
        fixed (byte* protocols = Alpn)
        {
            // The one call of libssl that returns 0 for success.
            SslError.ThrowUnless(Interop.Ssl.SSL_CTX_set_alpn_protos(context, protocols, (uint)Alpn.Length) == 0, "SSL_CTX_set_alpn_protos");
        }

        return context;
    }

    /// <summary>Makes a context for the side that listens, with a key of its own.</summary>
    internal static SslContextHandle CreateServer()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        byte[] serial = RandomNumberGenerator.GetBytes(16);
        serial[0] &= 0x7f;
        using X509Certificate2 certificate = request.Create(
            request.SubjectName,
            X509SignatureGenerator.CreateForECDsa(key),
            new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(2049, 12, 31, 23, 59, 59, TimeSpan.Zero),
            serial);
        SslContextHandle context = Create();
        SslContext.UseKey(context, key, certificate.RawData);
        return context;
    }

    private static SslContextHandle Create()
    {
        Interop.Crypto.ERR_clear_error();
        SslContextHandle context = Interop.Ssl.SSL_CTX_new(Interop.Ssl.TLS_method());
        SslError.ThrowUnless(!context.IsInvalid, "SSL_CTX_new");
        SslError.ThrowUnless(
            Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_MIN_PROTO_VERSION, Interop.Ssl.TLS1_2_VERSION, null) == 1, "SSL_CTX_ctrl");
        Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_SESS_CACHE_MODE, 0, null);
        Interop.Ssl.SSL_CTX_set_verify(context, Interop.Ssl.SSL_VERIFY_NONE, 0);
        return context;
    }
}
