using System.Buffers;
using System.Runtime.InteropServices;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;
using Ipop.Linux.Ciphers;

namespace Ipop.Linux.Handshakes;

/// <summary>One TLS handshake over two memory BIOs. No application data ever passes: only the exporter is used.</summary>
internal sealed unsafe class OpenSslHandshake : IHandshake
{
    private readonly MemorySsl _memory;
    private readonly SslHandle _ssl;
    private readonly ICertificateVerifier? _verifier;
    private readonly HandshakeTerms _terms;
    private readonly IReadOnlyList<int> _versions;
    private HandshakeState _state;
    private PeerIdentity? _peer;

    internal OpenSslHandshake(SslContextHandle context, bool isClient, ICertificateVerifier? verifier, ulong boot, IReadOnlyList<int> versions)
    {
        _verifier = verifier;
        _versions = versions;
        _memory = new MemorySsl(context);
        _ssl = _memory.Handle;
        _terms = new HandshakeTerms(boot, versions);
        _terms.Attach(_ssl);
        _memory.TakeSide(isClient);
    }

    /// <inheritdoc/>
    public PeerIdentity Peer => _state == HandshakeState.Complete ? _peer! : throw NotComplete();

    /// <inheritdoc/>
    public ulong PeerBoot => _state == HandshakeState.Complete ? _terms.PeerBoot!.Value : throw NotComplete();

    /// <inheritdoc/>
    public string KeyExchange
    {
        get
        {
            int group = _state == HandshakeState.Complete
                ? (int)Interop.Ssl.SSL_ctrl(_ssl, Interop.Ssl.SSL_CTRL_GET_NEGOTIATED_GROUP, 0, null)
                : throw NotComplete();
            return Marshal.PtrToStringUTF8(Interop.Ssl.SSL_group_to_name(_ssl, group)) ?? $"group 0x{group & 0xffff:x}";
        }
    }

    /// <summary>Whether the session may be sealed by libipsec-mb.</summary>
    internal bool MayUseLibrary { get; init; } = true;

    /// <summary>The version of the overlay's protocol that both ends agreed on; null before the end.</summary>
    internal int? Version { get; private set; }

    /// <inheritdoc/>
    public IFrameCipher CreateCipher(ReadOnlySpan<byte> key) => FrameCiphers.Create(key, MayUseLibrary);

    /// <inheritdoc/>
    public HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend)
    {
        ArgumentNullException.ThrowIfNull(toSend);
        ObjectDisposedException.ThrowIf(_ssl.IsClosed, this);
        if (_state != HandshakeState.InProgress)
        {
            return _state;
        }

        if (!_memory.Feed(received))
        {
            return _state = HandshakeState.Failed;
        }

        int error = _memory.Shake();

        // An alert belongs to the peer too: it then fails at once and not by timeout.
        _memory.Drain(toSend);
        if (error == Interop.Ssl.SSL_ERROR_NONE)
        {
            _state = Identify() ? HandshakeState.Complete : HandshakeState.Failed;
        }
        else if (error != Interop.Ssl.SSL_ERROR_WANT_READ)
        {
            _state = HandshakeState.Failed;
        }

        return _state;
    }

    /// <inheritdoc/>
    public void Export(string label, Span<byte> secret)
    {
        if (_state != HandshakeState.Complete)
        {
            throw NotComplete();
        }

        Span<byte> name = stackalloc byte[256];
        name = name[..Encoding.ASCII.GetBytes(label, name)];
        fixed (byte* bytes = secret, text = name)
        {
            SslError.ThrowUnless(
                Interop.Ssl.SSL_export_keying_material(_ssl, bytes, (nuint)secret.Length, text, (nuint)name.Length, null, 0, 0) == 1,
                "SSL_export_keying_material");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _memory.Dispose();
        _terms.Dispose();
    }

    private static InvalidOperationException NotComplete() => new("the handshake is not complete");

    /// <summary>The peer proved that it holds the key; says who that makes it. False if the key is of another kind than ours.</summary>
    private bool Identify()
    {
        Version = HandshakeTerms.Version(_ssl, _versions);
        nint certificate = Interop.Ssl.SSL_get1_peer_certificate(_ssl);
        if (certificate == 0)
        {
            return false;
        }

        if (Version is null || _terms.PeerBoot is null)
        {
            Interop.Crypto.X509_free(certificate);
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
            byte[] shown = Encode(certificate, &Interop.Crypto.i2d_X509);
            MemberCertificate? member = _verifier?.Verify(shown), genuine = member ?? _verifier?.VerifyIgnoringTime(shown);

            // A certificate that is not to be believed makes a bare key, not an enemy: it may have expired, or be of the time before the CA.
            _peer = new PeerIdentity(address, key, member?.Node == address ? member : null)
            {
                Shown = genuine?.Node == address ? genuine : null,
                CertifiedFor = member is null ? TimeSpan.MaxValue : _verifier!.TimeLeft(member),
            };
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
