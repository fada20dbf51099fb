using Microsoft.Win32.SafeHandles;

namespace Ipop.Linux;

/// <summary>Owns an SSL_CTX.</summary>
internal sealed class SslContextHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    public SslContextHandle()
        : base(ownsHandle: true)
    {
    }

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        Interop.Ssl.SSL_CTX_free(handle);
        return true;
    }
}

/// <summary>Owns an SSL with its two BIOs.</summary>
internal sealed class SslHandle : SafeHandleZeroOrMinusOneIsInvalid
{
    public SslHandle()
        : base(ownsHandle: true)
    {
    }

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        Interop.Ssl.SSL_free(handle);
        return true;
    }
}
