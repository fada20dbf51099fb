using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Ipop.Linux.Handshakes;

/// <summary>Errors of libssl as exceptions.</summary>
internal static unsafe class SslError
{
    internal static void ThrowUnless(bool condition, string call)
    {
        if (!condition)
        {
            throw Make(call);
        }
    }

    /// <summary>Takes the thread's oldest error and empties its queue.</summary>
    internal static CryptographicException Make(string call)
    {
        nuint error = Interop.Crypto.ERR_get_error();
        byte* text = stackalloc byte[256];
        Interop.Crypto.ERR_error_string_n(error, text, 256);
        Interop.Crypto.ERR_clear_error();
        return new CryptographicException($"{call}: {(error == 0 ? "failed" : Marshal.PtrToStringUTF8((nint)text))}");
    }
}
