using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>
/// A cheap stand-in for the TLS handshake: three flights of about the real sizes. It proves that the other end is there now, and believes
/// what it says, so it is fit for the simulator only.
/// </summary>
/// <param name="identity">The node's.</param>
/// <param name="authority">Who certifies.</param>
/// <param name="random">Chance.</param>
/// <param name="onStart">Hears of each handshake that a client begins.</param>
/// <param name="isCheap">Whether sessions have a cheap stand-in for AES-256-GCM as well.</param>
public sealed class SimulatedHandshakeProvider(
    SimulatedIdentity identity, SimulatedAuthority authority, Random random, Action? onStart = null, bool isCheap = false)
    : IHandshakeProvider
{
    public IHandshake StartClient(ulong boot)
    {
        onStart?.Invoke();
        return new SimulatedHandshake(identity, authority, random, boot, isClient: true, isCheap);
    }

    public IHandshake StartServer(ulong boot) => new SimulatedHandshake(identity, authority, random, boot, isClient: false, isCheap);
}

internal sealed class SimulatedHandshake : IHandshake
{
    private const int NonceSize = 32;
    private const int HelloSize = 700;
    private const int FinishedSize = 400;

    private readonly SimulatedIdentity _identity;
    private readonly SimulatedAuthority _authority;
    private readonly bool _isClient;
    private readonly bool _isCheap;
    private readonly ulong _boot;
    private readonly byte[] _nonce = new byte[NonceSize];
    private readonly List<byte> _received = [];
    private byte[]? _secret;
    private PeerIdentity? _peer;
    private bool _spoke;

    public SimulatedHandshake(SimulatedIdentity identity, SimulatedAuthority authority, Random random, ulong boot, bool isClient, bool isCheap = false)
    {
        _identity = identity;
        _authority = authority;
        _isClient = isClient;
        _isCheap = isCheap;
        _boot = boot;
        random.NextBytes(_nonce);
    }

    public PeerIdentity Peer => _peer ?? throw new InvalidOperationException("the handshake is not complete");

    public ulong PeerBoot { get; private set; }

    public string KeyExchange => "simulated";

    public HandshakeState Advance(ReadOnlySpan<byte> received, IBufferWriter<byte> toSend)
    {
        _received.AddRange(received);
        if (_isClient && !_spoke)
        {
            Hello(toSend);
        }

        if (_secret is null)
        {
            if (_received.Count < HelloSize)
            {
                return HandshakeState.InProgress;
            }

            if (!ReadHello([.. _received[..HelloSize]]))
            {
                return HandshakeState.Failed;
            }

            _received.RemoveRange(0, HelloSize);
            if (_isClient)
            {
                byte[] finished = new byte[FinishedSize];
                SHA256.HashData(_secret!, finished);
                toSend.Write(finished);
                return HandshakeState.Complete;
            }

            Hello(toSend);
        }

        if (_isClient)
        {
            return HandshakeState.Complete;
        }

        if (_received.Count < FinishedSize)
        {
            return HandshakeState.InProgress;
        }

        // As in TLS, a flight that was recorded in another run proves nothing.
        byte[] proof = [.. _received[..SHA256.HashSizeInBytes]];
        return proof.AsSpan().SequenceEqual(SHA256.HashData(_secret!)) ? HandshakeState.Complete : HandshakeState.Failed;
    }

    public void Export(string label, Span<byte> secret)
    {
        byte[] block = new byte[SHA256.HashSizeInBytes];
        for (int done = 0, i = 0; done < secret.Length; i++)
        {
            SHA256.HashData([.. _secret!, .. Encoding.ASCII.GetBytes(label), (byte)i], block);
            int length = Math.Min(block.Length, secret.Length - done);
            block.AsSpan(0, length).CopyTo(secret[done..]);
            done += length;
        }
    }

    public IFrameCipher CreateCipher(ReadOnlySpan<byte> key) => _isCheap ? new SimulatedCipher(key) : new AesGcmCipher(key);

    public void Dispose()
    {
        // Nothing native here.
    }

    private void Hello(IBufferWriter<byte> toSend)
    {
        _spoke = true;
        byte[] hello = new byte[HelloSize];
        _nonce.CopyTo(hello, 0);
        BinaryPrimitives.WriteUInt16BigEndian(hello.AsSpan(NonceSize), (ushort)_identity.PublicKey.Length);
        _identity.PublicKey.CopyTo(hello.AsMemory(NonceSize + 2));
        BinaryPrimitives.WriteUInt64BigEndian(hello.AsSpan(HelloSize - 9), _boot);
        hello[^1] = _identity.Certificate is null ? (byte)0 : (byte)1;
        toSend.Write(hello);
    }

    private bool ReadHello(byte[] hello)
    {
        int length = BinaryPrimitives.ReadUInt16BigEndian(hello.AsSpan(NonceSize));
        if (length > HelloSize - NonceSize - 11)
        {
            return false;
        }

        byte[] publicKey = hello[(NonceSize + 2)..(NonceSize + 2 + length)];
        NodeAddress address = NodeAddress.FromPublicKey(publicKey);
        PeerBoot = BinaryPrimitives.ReadUInt64BigEndian(hello.AsSpan(HelloSize - 9));
        TimeSpan left = _authority.LeftOf(address);
        _peer = new PeerIdentity(address, publicKey, hello[^1] == 0 || left <= TimeSpan.Zero ? null : _authority.Find(address)) { CertifiedFor = left };
        if (_peer.Certificate is { } certificate && _identity.Refused.Contains(certificate.Serial))
        {
            return false;
        }

        ReadOnlySpan<byte> theirs = hello.AsSpan(0, NonceSize);
        _secret = _isClient ? SHA256.HashData([.. _nonce, .. theirs]) : SHA256.HashData([.. theirs, .. _nonce]);
        return true;
    }
}
