using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Ipop.Linux.Handshakes;

/// <summary>Makes SSL_CTXs of the one kind we use: TLS 1.3, one cipher suite, both certificates, no tickets, no sessions.</summary>
internal static unsafe class SslContext
{
    /// <summary>
    /// Hybrid with ML-KEM first, where OpenSSL is 3.5, which then sends key shares of both that are starred: an older peer needs no second round
    /// trip. Else what every OpenSSL 3 has.
    /// </summary>
    private static readonly string[] GroupLists = ["*X25519MLKEM768:*X25519:P-256", "X25519:P-256"];

    /// <summary>Makes a context for a key and the certificate to show, or a bare self-signed one.</summary>
    internal static SslContextHandle Create(ECDsa key, ReadOnlySpan<byte> certificate)
    {
        Interop.Crypto.ERR_clear_error();
        SslContextHandle context = Interop.Ssl.SSL_CTX_new(Interop.Ssl.TLS_method());
        if (context.IsInvalid)
        {
            throw SslError.Make("SSL_CTX_new");
        }

        try
        {
            Configure(context);
            UseKey(context, key, certificate.IsEmpty ? SelfSign(key) : certificate);
            return context;
        }
        catch
        {
            context.Dispose();
            throw;
        }
    }

    private static void Configure(SslContextHandle context)
    {
        Control(context, Interop.Ssl.SSL_CTRL_SET_MIN_PROTO_VERSION, Interop.Ssl.TLS1_3_VERSION);
        Control(context, Interop.Ssl.SSL_CTRL_SET_MAX_PROTO_VERSION, Interop.Ssl.TLS1_3_VERSION);
        Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_SESS_CACHE_MODE, 0, null);
        Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_MAX_CERT_LIST, 16 * 1024, null);
        SslError.ThrowUnless(Interop.Ssl.SSL_CTX_set_num_tickets(context, 0) == 1, "SSL_CTX_set_num_tickets");

        // Nothing between us reads our records, so the 32-byte session id and ChangeCipherSpec of RFC 8446 appendix D.4 are waste.
        Interop.Ssl.SSL_CTX_clear_options(context, Interop.Ssl.SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
        fixed (byte* suite = "TLS_AES_256_GCM_SHA384\0"u8, algorithms = "ECDSA+SHA256:ECDSA+SHA384\0"u8)
        {
            SslError.ThrowUnless(Interop.Ssl.SSL_CTX_set_ciphersuites(context, suite) == 1, "SSL_CTX_set_ciphersuites");
            SslError.ThrowUnless(
                Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_SIGALGS_LIST, 0, algorithms) == 1, "SSL_CTX_set1_sigalgs_list");
        }

        UseGroups(context);
        HandshakeTerms.Configure(context);
        Interop.Ssl.SSL_CTX_set_verify(context, Interop.Ssl.SSL_VERIFY_PEER | Interop.Ssl.SSL_VERIFY_FAIL_IF_NO_PEER_CERT, 0);
        Interop.Ssl.SSL_CTX_set_cert_verify_callback(context, &AcceptAnyChain, 0);
    }

    private static void UseGroups(SslContextHandle context)
    {
        foreach (string groups in GroupLists)
        {
            fixed (byte* text = Encoding.ASCII.GetBytes(groups + '\0'))
            {
                if (Interop.Ssl.SSL_CTX_ctrl(context, Interop.Ssl.SSL_CTRL_SET_GROUPS_LIST, 0, text) == 1)
                {
                    Interop.Crypto.ERR_clear_error();
                    return;
                }
            }
        }

        throw SslError.Make("SSL_CTX_set1_groups_list");
    }

    /// <summary>Gives a context the key and the certificate that it shows.</summary>
    internal static void UseKey(SslContextHandle context, ECDsa key, ReadOnlySpan<byte> certificate)
    {
        fixed (byte* der = certificate)
        {
            SslError.ThrowUnless(
                Interop.Ssl.SSL_CTX_use_certificate_ASN1(context, certificate.Length, der) == 1, "SSL_CTX_use_certificate_ASN1");
        }

        byte[] secret = key.ExportECPrivateKey();
        try
        {
            fixed (byte* der = secret)
            {
                SslError.ThrowUnless(
                    Interop.Ssl.SSL_CTX_use_PrivateKey_ASN1(Interop.Ssl.EVP_PKEY_EC, context, der, secret.Length) == 1
                    && Interop.Ssl.SSL_CTX_check_private_key(context) == 1,
                    "SSL_CTX_use_PrivateKey_ASN1");
            }
        }
        finally
        {
            CryptographicOperations.ZeroMemory(secret);
        }
    }

    private static byte[] SelfSign(ECDsa key)
    {
        // The certificate is only the envelope of the key, so its dates say nothing and no clock is asked (RFC 5280 section 4.1.2.5).
        var request = new CertificateRequest("CN=brunet", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.Create(
            request.SubjectName,
            X509SignatureGenerator.CreateForECDsa(key),
            new DateTimeOffset(2000, 1, 1, 0, 0, 0, TimeSpan.Zero),
            new DateTimeOffset(9999, 12, 31, 23, 59, 59, TimeSpan.Zero),
            [1]);
        return certificate.RawData;
    }

    private static void Control(SslContextHandle context, int command, nint number) =>
        SslError.ThrowUnless(Interop.Ssl.SSL_CTX_ctrl(context, command, number, null) == 1, "SSL_CTX_ctrl");

    /// <summary>TLS proves that the peer holds the key of the certificate it shows; whether to believe the rest is decided afterwards.</summary>
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int AcceptAnyChain(nint storeContext, nint argument) => 1;
}
