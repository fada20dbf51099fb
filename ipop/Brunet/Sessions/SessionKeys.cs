using System.Security.Cryptography;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// Seals and opens data frames with AES-256-GCM. A key for each direction comes from the handshake's exporter; the nonce is the
/// exported IV, XORed with the frame's counter as in RFC 8446 section 5.3 and with 48 bits that the hardware makes for this frame. A machine
/// whose snapshot is loaded twice goes on twice with the same keys and the same counters; those bits keep its nonces apart.
/// </summary>
internal sealed class SessionKeys : IDisposable
{
    /// <summary>Frames after which new keys shall be agreed.</summary>
    public const ulong RekeyAfter = 1UL << 32;

    /// <summary>Frames after which nothing is sealed any more: far below where a nonce could repeat.</summary>
    public const ulong StopAfter = 1UL << 36;

    private readonly IHardwareRandom _hardware;
    private readonly IFrameCipher _send;
    private readonly IFrameCipher _receive;
    private readonly byte[] _sendIv;
    private readonly byte[] _receiveIv;
    private readonly ReplayWindow _window = new();

    public SessionKeys(IHandshake handshake, bool isClient, IHardwareRandom hardware)
    {
        _hardware = hardware;
        Span<byte> secret = stackalloc byte[2 * (ProtocolConstants.KeySize + ProtocolConstants.NonceSize)];
        handshake.Export(ProtocolConstants.ExporterLabel, secret);
        IFrameCipher client = handshake.CreateCipher(secret[..ProtocolConstants.KeySize]);
        IFrameCipher server = handshake.CreateCipher(secret.Slice(ProtocolConstants.KeySize, ProtocolConstants.KeySize));
        byte[] clientIv = secret.Slice(2 * ProtocolConstants.KeySize, ProtocolConstants.NonceSize).ToArray();
        byte[] serverIv = secret.Slice((2 * ProtocolConstants.KeySize) + ProtocolConstants.NonceSize, ProtocolConstants.NonceSize).ToArray();
        CryptographicOperations.ZeroMemory(secret);
        (_send, _receive) = isClient ? (client, server) : (server, client);
        (_sendIv, _receiveIv) = isClient ? (clientIv, serverIv) : (serverIv, clientIv);
    }

    /// <summary>Frames sealed so far.</summary>
    public ulong Sent { get; private set; }

    /// <summary>Writes a data frame and returns its length, or 0 when the keys are used up.</summary>
    public int Seal(uint receiverIndex, ReadOnlySpan<byte> message, Span<byte> frame)
    {
        if (Sent >= StopAfter)
        {
            return 0;
        }

        Span<byte> header = frame[..ProtocolConstants.DataHeaderSize];
        new DataHeader(receiverIndex, Sent, _hardware.Draw()).Write(header);
        Span<byte> nonce = stackalloc byte[ProtocolConstants.NonceSize];
        DataHeader.MakeNonce(header, _sendIv, nonce);
        Sent++;
        Span<byte> sealedBytes = frame.Slice(ProtocolConstants.DataHeaderSize, message.Length);
        Span<byte> tag = frame.Slice(ProtocolConstants.DataHeaderSize + message.Length, ProtocolConstants.TagSize);
        _send.Seal(nonce, message, sealedBytes, tag, header);
        return message.Length + ProtocolConstants.FrameOverhead;
    }

    /// <summary>Writes a frame of ESP, whose payload is not sealed again, and returns its length, or 0 when the keys are used up.</summary>
    /// <param name="receiverIndex">What the receiver calls the session.</param>
    /// <param name="packet">One that <see cref="EspSeal.Fits"/>.</param>
    /// <param name="frame">Takes <see cref="EspSeal.Overhead"/> bytes more than the packet has behind its head.</param>
    public int SealEsp(uint receiverIndex, ReadOnlySpan<byte> packet, Span<byte> frame)
    {
        if (Sent >= StopAfter)
        {
            return 0;
        }

        Span<byte> header = frame[..ProtocolConstants.DataHeaderSize];
        new DataHeader(receiverIndex, Sent, _hardware.Draw()).Write(header, FrameType.Esp);
        Span<byte> nonce = stackalloc byte[ProtocolConstants.NonceSize];
        DataHeader.MakeNonce(header, _sendIv, nonce);
        Sent++;
        Span<byte> tag = frame.Slice(ProtocolConstants.DataHeaderSize, ProtocolConstants.TagSize);
        _send.Seal(nonce, packet[..EspSeal.HeadSize], frame.Slice(EspSeal.HeadAt, EspSeal.HeadSize), tag, header);
        packet[EspSeal.HeadSize..].CopyTo(frame[EspSeal.Overhead..]);
        return EspSeal.Overhead + packet.Length - EspSeal.HeadSize;
    }

    /// <summary>As <see cref="ReplayWindow.Missing"/>.</summary>
    public ulong Missing(ulong after, ulong before) => _window.Missing(after, before);

    /// <summary>
    /// Opens a frame of ESP; false if what is proven of it is forged or damaged, if its length is not the one that was sealed, or if it was here before. The packet
    /// behind its head is what came, proven by nobody yet.
    /// </summary>
    public bool TryOpenEsp(ReadOnlySpan<byte> frame, Span<byte> packet, out ulong counter)
    {
        bool isFrame = DataHeader.TryRead(frame, out DataHeader header) && frame.Length >= EspSeal.Overhead + EspSeal.SmallestRest;
        counter = header.Counter;
        if (!isFrame)
        {
            return false;
        }

        Span<byte> nonce = stackalloc byte[ProtocolConstants.NonceSize];
        DataHeader.MakeNonce(frame, _receiveIv, nonce);
        ReadOnlySpan<byte> rest = frame[EspSeal.Overhead..];
        Span<byte> head = packet[..EspSeal.HeadSize];

        // A frame that was cut or drawn out on the way must not use its counter up: the true one may still come.
        if (!_receive.TryOpen(
                nonce,
                frame.Slice(EspSeal.HeadAt, EspSeal.HeadSize),
                frame.Slice(ProtocolConstants.DataHeaderSize, ProtocolConstants.TagSize),
                head,
                frame[..ProtocolConstants.DataHeaderSize])
            || !EspSeal.IsHead(head, EspSeal.HeadSize + rest.Length)
            || !_window.Accept(counter))
        {
            return false;
        }

        rest.CopyTo(packet[EspSeal.HeadSize..]);
        return true;
    }

    /// <summary>Opens a data frame; false if it is forged, damaged, or was here before.</summary>
    public bool TryOpen(ReadOnlySpan<byte> frame, Span<byte> message, out ulong counter)
    {
        bool isFrame = DataHeader.TryRead(frame, out DataHeader header);
        counter = header.Counter;
        if (!isFrame)
        {
            return false;
        }

        Span<byte> nonce = stackalloc byte[ProtocolConstants.NonceSize];
        DataHeader.MakeNonce(frame, _receiveIv, nonce);
        return _receive.TryOpen(
                nonce,
                frame[ProtocolConstants.DataHeaderSize..^ProtocolConstants.TagSize],
                frame[^ProtocolConstants.TagSize..],
                message,
                frame[..ProtocolConstants.DataHeaderSize])
            && _window.Accept(counter);
    }

    public void Dispose()
    {
        _send.Dispose();
        _receive.Dispose();
    }
}
