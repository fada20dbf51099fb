using System.Buffers;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Ipop.Linux.Handshakes;

/// <summary>One TLS handshake over two memory BIOs. No application data ever passes: only the exporter is used.</summary>
internal sealed unsafe class OpenSslHandshake : IHandshake
{
    private readonly SslHandle ssl;
    private readonly ICertificateVerifier? verifier;

    // Owned by the SSL.
    private readonly nint input;
    private readonly nint output;
    private HandshakeState state;
    private PeerIdentity? peer;

    internal OpenSslHandshake(SslContextHandle context, bool isClient, ICertificateVerifier? verifier)
    {
        Interop.Crypto.ERR_clear_error();
        this.verifier = verifier;
        ssl = Interop.Ssl.SSL_new(context);
        SslError.ThrowUnless(!ssl.IsInvalid, "SSL_new");
        input = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        output = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        if (input == 0 || output == 0)
        {
            _ = Interop.Crypto.BIO_free(input);
            _ = Interop.Crypto.BIO_free(output);
            ssl.Dispose();
            throw SslError.Make("BIO_new");
        }

        Interop.Ssl.SSL_set_bio(ssl, input, output);
        if (isClient)
        {
            Interop.Ssl.SSL_set_connect_state(ssl);
        }
        else
        {
            Interop.Ssl.SSL_set_accept_state(ssl);
        }
    }

    /// <inheritdoc/>
    public PeerIdentity Peer => state == HandshakeState.Complete ? peer! : throw NotComplete();

    /// <inheritdoc/>
    public HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend)
    {
        ArgumentNullException.ThrowIfNull(toSend);
        ObjectDisposedException.ThrowIf(ssl.IsClosed, this);
        if (state != HandshakeState.InProgress)
        {
            return state;
        }

        Interop.Crypto.ERR_clear_error();
        fixed (byte* data = received)
        {
            if (received.Length > 0 && Interop.Crypto.BIO_write(input, data, received.Length) != received.Length)
            {
                return state = HandshakeState.Failed;
            }
        }

        int result = Interop.Ssl.SSL_do_handshake(ssl);
        int error = Interop.Ssl.SSL_get_error(ssl, result);
        Interop.Crypto.ERR_clear_error();

        // An alert belongs to the peer too: it then fails at once and not by timeout.
        Drain(toSend);
        if (error == Interop.Ssl.SSL_ERROR_NONE)
        {
            state = Identify() ? HandshakeState.Complete : HandshakeState.Failed;
        }
        else if (error != Interop.Ssl.SSL_ERROR_WANT_READ)
        {
            state = HandshakeState.Failed;
        }

        return state;
    }

    /// <inheritdoc/>
    public void Export(string label, Span<byte> secret)
    {
        if (state != HandshakeState.Complete)
        {
            throw NotComplete();
        }

        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.ASCII.GetBytes(label, name)];
        fixed (byte* bytes = secret, text = name)
        {
            SslError.ThrowUnless(
                Interop.Ssl.SSL_export_keying_material(ssl, bytes, (nuint)secret.Length, text, (nuint)name.Length, null, 0, 0) == 1,
                "SSL_export_keying_material");
        }
    }

    /// <inheritdoc/>
    public void Dispose() => ssl.Dispose();

    private static InvalidOperationException NotComplete() => new("the handshake is not complete");

    private void Drain(IBufferWriter<byte> toSend)
    {
        int pending = (int)Interop.Crypto.BIO_ctrl_pending(output);
        if (pending == 0)
        {
            return;
        }

        fixed (byte* buffer = toSend.GetSpan(pending))
        {
            toSend.Advance(Math.Max(0, Interop.Crypto.BIO_read(output, buffer, pending)));
        }
    }

    /// <summary>The peer proved that it holds the key; says who that makes it. False if the key is of another kind than ours.</summary>
    private bool Identify()
    {
        nint certificate = Interop.Ssl.SSL_get1_peer_certificate(ssl);
        if (certificate == 0)
        {
            return false;
        }

        try
        {
            byte[] key = Encode(Interop.Crypto.X509_get_X509_PUBKEY(certificate), &Interop.Crypto.i2d_X509_PUBKEY);
            if (!P256PublicKey.IsCanonical(key))
            {
                return false;
            }

            NodeAddress address = NodeAddress.FromPublicKey(key);
            MemberCertificate? member = verifier?.Verify(Encode(certificate, &Interop.Crypto.i2d_X509));

            // A certificate that is not to be believed makes a bare key, not an enemy: it may have expired, or be of the time before the CA.
            peer = new PeerIdentity(address, key, member?.Node == address ? member : null);
            return true;
        }
        finally
        {
            Interop.Crypto.X509_free(certificate);
        }
    }

    private static byte[] Encode(nint value, delegate*<nint, byte**, int> encoder)
    {
        int length = encoder(value, null);
        if (length <= 0)
        {
            return [];
        }

        byte[] der = new byte[length];
        fixed (byte* start = der)
        {
            byte* cursor = start;
            return encoder(value, &cursor) == length ? der : [];
        }
    }
}
