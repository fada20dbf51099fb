using System.Buffers;
using Brunet.Sessions;
using Ipop.Linux.Ciphers;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>Handshakes of the simulator, whose sessions are sealed as the daemon's are.</summary>
internal sealed class SealedHandshakes(IHandshakeProvider inner) : IHandshakeProvider
{
    public IHandshake StartClient(ulong boot) => new Handshake(inner.StartClient(boot));

    public IHandshake StartServer(ulong boot) => new Handshake(inner.StartServer(boot));

    private sealed class Handshake(IHandshake inner) : IHandshake
    {
        public PeerIdentity Peer => inner.Peer;

        public ulong PeerBoot => inner.PeerBoot;

        public string KeyExchange => inner.KeyExchange;

        public HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend) => inner.Advance(received, toSend);

        public void Export(string label, Span<byte> secret) => inner.Export(label, secret);

        public IFrameCipher CreateCipher(ReadOnlySpan<byte> key) => FrameCiphers.Create(key);

        public void Dispose() => inner.Dispose();
    }
}
