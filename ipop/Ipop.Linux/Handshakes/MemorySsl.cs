using System.Buffers;

namespace Ipop.Linux.Handshakes;

/// <summary>An SSL whose network is memory: what came is fed in, what must go is drained. Does no input or output itself.</summary>
internal sealed unsafe class MemorySsl : IDisposable
{
    // Owned by the SSL.
    private readonly nint _input;
    private readonly nint _output;

    internal MemorySsl(SslContextHandle context)
    {
        Interop.Crypto.ERR_clear_error();
        Handle = Interop.Ssl.SSL_new(context);
        SslError.ThrowUnless(!Handle.IsInvalid, "SSL_new");
        _input = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        _output = Interop.Crypto.BIO_new(Interop.Crypto.BIO_s_mem());
        if (_input == 0 || _output == 0)
        {
            _ = Interop.Crypto.BIO_free(_input);
            _ = Interop.Crypto.BIO_free(_output);
            Handle.Dispose();
            throw SslError.Make("BIO_new");
        }

        Interop.Ssl.SSL_set_bio(Handle, _input, _output);
    }

    internal SslHandle Handle { get; }

    /// <summary>Says which side of the handshake this is.</summary>
    internal void TakeSide(bool isClient)
    {
        if (isClient)
        {
            Interop.Ssl.SSL_set_connect_state(Handle);
        }
        else
        {
            Interop.Ssl.SSL_set_accept_state(Handle);
        }
    }

    /// <summary>Takes what came from the other end; false if there is no memory for it.</summary>
    internal bool Feed(ReadOnlySpan<byte> received)
    {
        fixed (byte* data = received)
        {
            return received.IsEmpty || Interop.Crypto.BIO_write(_input, data, received.Length) == received.Length;
        }
    }

    /// <summary>Goes on with the handshake; returns what SSL_get_error says, and leaves no error behind.</summary>
    internal int Shake()
    {
        Interop.Crypto.ERR_clear_error();
        int error = Interop.Ssl.SSL_get_error(Handle, Interop.Ssl.SSL_do_handshake(Handle));
        Interop.Crypto.ERR_clear_error();
        return error;
    }

    /// <summary>Hands out what must go to the other end.</summary>
    internal void Drain(IBufferWriter<byte> toSend)
    {
        int pending = (int)Interop.Crypto.BIO_ctrl_pending(_output);
        if (pending > 0)
        {
            fixed (byte* buffer = toSend.GetSpan(pending))
            {
                toSend.Advance(Math.Max(0, Interop.Crypto.BIO_read(_output, buffer, pending)));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => Handle.Dispose();
}
