using System.Buffers;
using Ipop.Linux.Handshakes;

namespace Ipop.Linux.Tcp;

/// <summary>One end of a TLS connection over memory: sealed bytes in and out on one side, plain ones on the other. Does no input or output.</summary>
internal sealed unsafe class TlsPipe : IDisposable
{
    private const int LargestRecord = 16 * 1024;

    private readonly MemorySsl _memory;

    internal TlsPipe(SslContextHandle context, bool isClient)
    {
        _memory = new MemorySsl(context);
        _memory.TakeSide(isClient);
    }

    /// <summary>Takes plain bytes; lent until the call returns.</summary>
    internal delegate bool Receiver(ReadOnlySpan<byte> plain);

    /// <summary>Whether plain bytes may be written.</summary>
    internal bool IsOpen { get; private set; }

    /// <summary>Goes on with the handshake; false if it failed. The side that connects calls it once to begin.</summary>
    internal bool Shake()
    {
        if (IsOpen)
        {
            return true;
        }

        int error = _memory.Shake();
        IsOpen = error == Interop.Ssl.SSL_ERROR_NONE;
        return IsOpen || error == Interop.Ssl.SSL_ERROR_WANT_READ;
    }

    /// <summary>The random of the ClientHello that this end has made.</summary>
    internal byte[] Random()
    {
        byte[] random = new byte[TlsCrossing.RandomSize];
        fixed (byte* first = random)
        {
            _ = Interop.Ssl.SSL_get_client_random(_memory.Handle, first, (nuint)random.Length);
        }

        return random;
    }

    /// <summary>Takes what came from the other end; false if that was the end, or no TLS, or the receiver said so.</summary>
    internal bool Receive(ReadOnlySpan<byte> sealedBytes, Receiver receiver)
    {
        if (!_memory.Feed(sealedBytes) || !Shake())
        {
            return false;
        }

        byte[] buffer = ArrayPool<byte>.Shared.Rent(LargestRecord);
        try
        {
            while (IsOpen)
            {
                Interop.Crypto.ERR_clear_error();
                int count;
                fixed (byte* first = buffer)
                {
                    count = Interop.Ssl.SSL_read(_memory.Handle, first, buffer.Length);
                }

                if (count <= 0)
                {
                    bool isDry = Interop.Ssl.SSL_get_error(_memory.Handle, count) == Interop.Ssl.SSL_ERROR_WANT_READ;
                    Interop.Crypto.ERR_clear_error();
                    return isDry;
                }

                if (!receiver(buffer.AsSpan(0, count)))
                {
                    return false;
                }
            }

            return true;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Seals plain bytes, as one record if they fit; false if the connection is broken.</summary>
    internal bool Send(ReadOnlySpan<byte> plain)
    {
        Interop.Crypto.ERR_clear_error();
        fixed (byte* bytes = plain)
        {
            return IsOpen && Interop.Ssl.SSL_write(_memory.Handle, bytes, plain.Length) == plain.Length;
        }
    }

    /// <summary>Hands out what must go to the other end.</summary>
    internal void Drain(IBufferWriter<byte> sealedBytes) => _memory.Drain(sealedBytes);

    /// <inheritdoc/>
    public void Dispose() => _memory.Dispose();
}
