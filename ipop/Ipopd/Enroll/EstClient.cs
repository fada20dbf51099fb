using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CertificateProfile;

namespace Ipopd.Enroll;

/// <summary>The client side of EST (RFC 7030): one TLS connection, one request. The pool's CA is the only trust anchor.</summary>
/// <param name="authority">The pool's CA.</param>
/// <param name="key">The node's key.</param>
/// <param name="address">Own virtual address; the connection leaves from it.</param>
/// <param name="ca">Where the CA listens.</param>
/// <param name="time">Wall clock.</param>
internal sealed class EstClient(PoolAuthority authority, ECDsa key, IPAddress address, IPEndPoint ca, TimeProvider time)
{
    private const int MaxReplyBytes = 16384;

    /// <summary>TCP_SYNCNT, tcp(7).</summary>
    private const int TcpSynCount = 7;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Asks for a certificate.</summary>
    /// <param name="request">PKCS#10 in DER.</param>
    /// <param name="ticket"><c>ID:SECRET</c>, or null.</param>
    /// <param name="old">The certificate to renew, or null for the first one.</param>
    internal EnrollReply Enrol(byte[] request, string? ticket, byte[]? old)
    {
        try
        {
            using SocketsHttpHandler handler = CreateHandler(old);
            using var client = new HttpClient(handler) { MaxResponseContentBufferSize = MaxReplyBytes, Timeout = Patience };
            string operation = old is null ? "simpleenroll" : "simplereenroll";
            using var message = new HttpRequestMessage(
                HttpMethod.Post, $"https://{authority.Pool.ManagerName}:{ca.Port}/.well-known/est/{operation}");
            message.Content = new StringContent(Convert.ToBase64String(request));
            message.Content.Headers.ContentType = new("application/pkcs10");
            message.Content.Headers.Add("Content-Transfer-Encoding", "base64");
            if (ticket is not null)
            {
                message.Headers.Authorization = new("Basic", Convert.ToBase64String(Encoding.UTF8.GetBytes(ticket)));
            }

            using HttpResponseMessage response = client.Send(message);
            using var body = new StreamReader(response.Content.ReadAsStream());
            return Read((int)response.StatusCode, body.ReadToEnd());
        }
        catch (HttpRequestException e)
        {
            return EnrollReply.None($"the CA at {ca} can't be reached: {e.InnerException?.Message ?? e.Message}");
        }
        catch (OperationCanceledException)
        {
            return EnrollReply.None($"the CA at {ca} did not answer within {Patience.TotalSeconds:0} s");
        }
    }

    private static EnrollReply Read(int status, string body)
    {
        if (status != EnrolmentStatus.Granted)
        {
            string line = body.Split('\n', 2)[0].Trim();
            return new EnrollReply(status, line.Length > 0 ? line : $"the CA answered {status} without a reason");
        }

        byte[] der = new byte[body.Length];
        return Convert.TryFromBase64String(body, der, out int length) && CertsOnly.TryReadFirst(der.AsMemory(0, length), out byte[]? certificate)
            ? new EnrollReply(EnrolmentStatus.Granted, string.Empty, certificate)
            : EnrollReply.None("the CA's answer holds no certificate");
    }

    private SocketsHttpHandler CreateHandler(byte[]? old)
    {
        var options = new SslClientAuthenticationOptions
        {
            TargetHost = authority.Pool.ManagerName,
            EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
            RemoteCertificateValidationCallback = (_, certificate, _, _) => IsManager(certificate),

            // Nothing is fetched and nothing of the machine's own store counts; the callback alone decides.
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                DisableCertificateDownloads = true,
                RevocationMode = X509RevocationMode.NoCheck,
            },
        };
        if (old is not null)
        {
            using X509Certificate2 bare = X509CertificateLoader.LoadCertificate(old);
            options.ClientCertificates = [bare.CopyWithPrivateKey(key)];
        }

        return new SocketsHttpHandler
        {
            SslOptions = options,
            UseProxy = false,
            UseCookies = false,
            AllowAutoRedirect = false,
            ConnectCallback = (_, _) => ValueTask.FromResult<Stream>(Connect()),
        };
    }

    // The profile gives the name manager.POOL.internal to managers and to nobody else, so the role is the check of the host name.
    private bool IsManager(X509Certificate? certificate) =>
        certificate is X509Certificate2 shown
        && authority.TryVerify(shown.RawDataMemory.Span, time.GetUtcNow(), out MemberInfo? info, out _)
        && info.Role == MemberRole.Manager;

    private NetworkStream Connect()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            // A blocking connect ends by itself alone: after this many further tries, 15 s.
            socket.SetRawSocketOption((int)SocketOptionLevel.Tcp, TcpSynCount, [3, 0, 0, 0]);
            socket.Bind(new IPEndPoint(address, 0));
            socket.Connect(ca);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
