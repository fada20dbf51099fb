using System.Buffers;
using Brunet.Sessions;

namespace Fuzz.Capture;

/// <summary>Handshakes whose sessions keep what they seal: what each end said to the other, in its order, as the readers behind the seal get it.</summary>
internal sealed class TappedHandshakes(IHandshakeProvider inner, List<List<byte[]>> conversations) : IHandshakeProvider
{
    public IHandshake StartClient(ulong boot) => new Handshake(inner.StartClient(boot), conversations);

    public IHandshake StartServer(ulong boot) => new Handshake(inner.StartServer(boot), conversations);

    private sealed class Handshake(IHandshake inner, List<List<byte[]>> conversations) : IHandshake
    {
        public PeerIdentity Peer => inner.Peer;

        public ulong PeerBoot => inner.PeerBoot;

        public string KeyExchange => inner.KeyExchange;

        public HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend) => inner.Advance(received, toSend);

        public void Export(string label, Span<byte> secret) => inner.Export(label, secret);

        public IFrameCipher CreateCipher(ReadOnlySpan<byte> key)
        {
            List<byte[]> said = [];
            conversations.Add(said);
            return new Cipher(inner.CreateCipher(key), said);
        }

        public void Dispose() => inner.Dispose();
    }

    private sealed class Cipher(IFrameCipher inner, List<byte[]> said) : IFrameCipher
    {
        public void Seal(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> message, Span<byte> sealedBytes, Span<byte> tag, ReadOnlySpan<byte> header)
        {
            said.Add(message.ToArray());
            inner.Seal(nonce, message, sealedBytes, tag, header);
        }

        public bool TryOpen(ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> sealedBytes, ReadOnlySpan<byte> tag, Span<byte> message, ReadOnlySpan<byte> header) =>
            inner.TryOpen(nonce, sealedBytes, tag, message, header);

        public void Dispose() => inner.Dispose();
    }
}
