using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Ipop.Linux.Handshakes;

/// <summary>
/// What the two ends tell each other beside their keys, inside the TLS handshake and so proven by it: the versions of the overlay's protocol
/// (ALPN, RFC 7301) and the boot ids (an extension of our own). Native memory, for OpenSSL's callbacks find it by the SSL.
/// </summary>
internal sealed unsafe class HandshakeTerms : IDisposable
{
    /// <summary>Type of the extension with the boot id, of those for private use (RFC 8446 section 11).</summary>
    private const uint BootExtension = 0xff57;

    /// <summary>SSL_set_app_data's place.</summary>
    private const int Slot = 0;

    private readonly byte[] _protocols;
    private Block* _block;

    /// <summary>Terms of one handshake.</summary>
    /// <param name="boot">The local boot id.</param>
    /// <param name="versions">Versions of the protocol that the local node speaks, the best first.</param>
    internal HandshakeTerms(ulong boot, IEnumerable<int> versions)
    {
        _protocols = [.. versions.SelectMany(version => Name(version) is var name ? (byte[])[(byte)name.Length, .. name] : [])];
        _block = (Block*)NativeMemory.AllocZeroed((nuint)(sizeof(Block) + _protocols.Length));
        BinaryPrimitives.WriteUInt64BigEndian(new Span<byte>(_block->Own, sizeof(ulong)), boot);
        _block->ProtocolsLength = (uint)_protocols.Length;
        _protocols.CopyTo(new Span<byte>(Protocols(_block), _protocols.Length));
    }

    /// <summary>The peer's boot id, if it told one.</summary>
    internal ulong? PeerBoot =>
        _block->HasPeer == 0 ? null : BinaryPrimitives.ReadUInt64BigEndian(new ReadOnlySpan<byte>(_block->Peer, sizeof(ulong)));

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_block);
        _block = null;
    }

    /// <summary>Lets a context's SSLs talk of the terms that each of them has.</summary>
    internal static void Configure(SslContextHandle context)
    {
        Interop.Ssl.SSL_CTX_set_alpn_select_cb(context, &SelectProtocol, 0);
        const int Where = Interop.Ssl.SSL_EXT_CLIENT_HELLO | Interop.Ssl.SSL_EXT_TLS1_3_ENCRYPTED_EXTENSIONS;
        SslError.ThrowUnless(
            Interop.Ssl.SSL_CTX_add_custom_ext(context, BootExtension, Where, &AddBoot, 0, 0, &ParseBoot, 0) == 1, "SSL_CTX_add_custom_ext");
    }

    /// <summary>Gives an SSL its terms, which must outlive it.</summary>
    internal void Attach(SslHandle ssl)
    {
        SslError.ThrowUnless(Interop.Ssl.SSL_set_ex_data(ssl, Slot, _block) == 1, "SSL_set_ex_data");
        SslError.ThrowUnless(Interop.Ssl.SSL_set_alpn_protos(ssl, Protocols(_block), _block->ProtocolsLength) == 0, "SSL_set_alpn_protos");
    }

    /// <summary>The version that both ends agreed on, one of the local ones; null if there is none.</summary>
    internal static int? Version(SslHandle ssl, IEnumerable<int> versions)
    {
        byte* protocol;
        uint length;
        Interop.Ssl.SSL_get0_alpn_selected(ssl, &protocol, &length);
        foreach (int version in versions)
        {
            if (new ReadOnlySpan<byte>(protocol, (int)length).SequenceEqual(Name(version)))
            {
                return version;
            }
        }

        return null;
    }

    private static byte[] Name(int version) => Encoding.ASCII.GetBytes($"wow/{version}");

    private static byte* Protocols(Block* block) => (byte*)(block + 1);

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int SelectProtocol(nint ssl, byte** output, byte* outputLength, byte* offered, uint offeredLength, nint argument)
    {
        var block = (Block*)Interop.Ssl.SSL_get_ex_data(ssl, Slot);
        return Interop.Ssl.SSL_select_next_proto(output, outputLength, Protocols(block), block->ProtocolsLength, offered, offeredLength)
            == Interop.Ssl.OPENSSL_NPN_NEGOTIATED
            ? Interop.Ssl.SSL_TLSEXT_ERR_OK
            : Interop.Ssl.SSL_TLSEXT_ERR_ALERT_FATAL;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int AddBoot(
        nint ssl, uint type, uint where, byte** output, nuint* length, nint certificate, nuint index, int* alert, nint argument)
    {
        var block = (Block*)Interop.Ssl.SSL_get_ex_data(ssl, Slot);
        *output = block->Own;
        *length = sizeof(ulong);
        return 1;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int ParseBoot(
        nint ssl, uint type, uint where, byte* input, nuint length, nint certificate, nuint index, int* alert, nint argument)
    {
        const int DecodeError = 50; // RFC 8446 section 6
        if (length != sizeof(ulong))
        {
            *alert = DecodeError;
            return 0;
        }

        var block = (Block*)Interop.Ssl.SSL_get_ex_data(ssl, Slot);
        new ReadOnlySpan<byte>(input, sizeof(ulong)).CopyTo(new Span<byte>(block->Peer, sizeof(ulong)));
        block->HasPeer = 1;
        return 1;
    }

    /// <summary>The names of the protocols follow, each after its length.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Block
    {
        internal fixed byte Own[sizeof(ulong)];
        internal fixed byte Peer[sizeof(ulong)];
        internal uint HasPeer;
        internal uint ProtocolsLength;
    }
}
