using System.Buffers;

namespace Brunet.Sessions;

/// <summary>Where a handshake stands.</summary>
public enum HandshakeState
{
    /// <summary>More bytes from the peer are needed.</summary>
    InProgress,

    /// <summary>Both sides are verified; <see cref="IHandshake.Peer"/> and <see cref="IHandshake.Export"/> may be used.</summary>
    Complete,

    /// <summary>The peer is not who it must be, or spoke nonsense. The handshake is dead.</summary>
    Failed,
}

/// <summary>
/// One run of an authenticated key exchange as bytes in, bytes out. The daemon's is TLS 1.3 (RFC 8446) with both certificates;
/// the simulator may use a cheap stand-in.
/// </summary>
public interface IHandshake : IDisposable
{
    /// <summary>Takes the peer's next bytes (in order, maybe none) and appends what must go to the peer.</summary>
    HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend);

    /// <summary>Who the peer proved to be. Throws <see cref="InvalidOperationException"/> before <see cref="HandshakeState.Complete"/>.</summary>
    PeerIdentity Peer { get; }

    /// <summary>The peer's boot id, as the handshake proved it. Throws like <see cref="Peer"/>.</summary>
    ulong PeerBoot { get; }

    /// <summary>What the keys were agreed by, as the library calls it: X25519MLKEM768, x25519. Throws like <see cref="Peer"/>.</summary>
    string KeyExchange { get; }

    /// <summary>Derives secret bytes that only the two ends know (RFC 8446 section 7.5). Equal labels give equal bytes on both ends.</summary>
    void Export(string label, Span<byte> secret);

    /// <summary>What seals or opens with a key that was exported.</summary>
    /// <param name="key">32 bytes; copied.</param>
    IFrameCipher CreateCipher(ReadOnlySpan<byte> key) => new AesGcmCipher(key);
}

/// <summary>Starts handshakes in the local node's name, with the certificate that the node has at that moment.</summary>
public interface IHandshakeProvider
{
    /// <summary>Starts the side that speaks first.</summary>
    /// <param name="boot">The local node's boot id, for the peer.</param>
    IHandshake StartClient(ulong boot);

    /// <summary>Starts the side that answers.</summary>
    /// <param name="boot">The local node's boot id, for the peer.</param>
    IHandshake StartServer(ulong boot);
}
