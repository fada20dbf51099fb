using System.Buffers;
using Ipop.Linux.Handshakes;

namespace Ipop.Linux.Tcp;

/// <summary>One end of a TLS connection over memory: sealed bytes in and out on one side, plain ones on the other. Does no input or output.</summary>
internal sealed unsafe class TlsPipe : IDisposable
{
    private const int LargestRecord = 16 * 1024;

    private readonly SslHandle _ssl;

    // Owned by the SSL.
    private readonly nint _input;
    private readonly nint _output;

    internal TlsPipe(SslContextHandle context, bool isClient)
    {
        Interop.Crypto.ERR_clear_error();
        _ssl = Interop.Ssl.SSL_new(context);
        SslError.ThrowUnless(!_ssl.IsInvalid, "SSL_new");
        _input = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        _output = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        if (_input == 0 || _output == 0)
        {
            _ = Interop.Crypto.BIO_free(_input);
            _ = Interop.Crypto.BIO_free(_output);
            _ssl.Dispose();
            throw SslError.Make("BIO_new");
        }

        Interop.Ssl.SSL_set_bio(_ssl, _input, _output);
        if (isClient)
        {
            Interop.Ssl.SSL_set_connect_state(_ssl);
        }
        else
        {
            Interop.Ssl.SSL_set_accept_state(_ssl);
        }
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

        Interop.Crypto.ERR_clear_error();
        int error = Interop.Ssl.SSL_get_error(_ssl, Interop.Ssl.SSL_do_handshake(_ssl));
        Interop.Crypto.ERR_clear_error();
        IsOpen = error == Interop.Ssl.SSL_ERROR_NONE;
        return IsOpen || error == Interop.Ssl.SSL_ERROR_WANT_READ;
    }

    /// <summary>Takes what came from the other end; false if that was the end, or no TLS, or the receiver said so.</summary>
    internal bool Receive(ReadOnlySpan<byte> sealedBytes, Receiver receiver)
    {
        fixed (byte* bytes = sealedBytes)
        {
            if (Interop.Crypto.BIO_write(_input, bytes, sealedBytes.Length) != sealedBytes.Length)
            {
                return false;
            }
        }

        if (!Shake())
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
                    count = Interop.Ssl.SSL_read(_ssl, first, buffer.Length);
                }

                if (count <= 0)
                {
                    bool isDry = Interop.Ssl.SSL_get_error(_ssl, count) == Interop.Ssl.SSL_ERROR_WANT_READ;
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
            return IsOpen && Interop.Ssl.SSL_write(_ssl, bytes, plain.Length) == plain.Length;
        }
    }

    /// <summary>Hands out what must go to the other end.</summary>
    internal void Drain(IBufferWriter<byte> sealedBytes)
    {
        int pending = (int)Interop.Crypto.BIO_ctrl_pending(_output);
        if (pending > 0)
        {
            fixed (byte* buffer = sealedBytes.GetSpan(pending))
            {
                sealedBytes.Advance(Math.Max(0, Interop.Crypto.BIO_read(_output, buffer, pending)));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _ssl.Dispose();
}
