using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>libcrypto of OpenSSL 3, https://docs.openssl.org/3.0/man3/.</summary>
    internal static partial class Crypto
    {
        private const string Library = "libcrypto.so.3";

        /// <summary>Mixes bytes into the generator that all of the library's keys come from.</summary>
        [LibraryImport(Library)]
        internal static unsafe partial void RAND_add(void* buffer, int length, double entropyBytes);

        [LibraryImport(Library)]
        internal static partial nint BIO_s_mem();

        [LibraryImport(Library)]
        internal static partial nint BIO_new(nint method);

        [LibraryImport(Library)]
        internal static partial int BIO_free(nint bio);

        [LibraryImport(Library)]
        internal static unsafe partial int BIO_write(nint bio, byte* data, int length);

        [LibraryImport(Library)]
        internal static unsafe partial int BIO_read(nint bio, byte* data, int length);

        [LibraryImport(Library)]
        internal static partial nuint BIO_ctrl_pending(nint bio);

        /// <summary>With a null <paramref name="output"/> only the length.</summary>
        [LibraryImport(Library)]
        internal static unsafe partial int i2d_X509(nint certificate, byte** output);

        [LibraryImport(Library)]
        internal static partial void X509_free(nint certificate);

        [LibraryImport(Library)]
        internal static partial nint X509_get_X509_PUBKEY(nint certificate);

        [LibraryImport(Library)]
        internal static unsafe partial int i2d_X509_PUBKEY(nint key, byte** output);

        [LibraryImport(Library)]
        internal static partial void ERR_clear_error();

        [LibraryImport(Library)]
        internal static partial nuint ERR_get_error();

        [LibraryImport(Library)]
        internal static unsafe partial void ERR_error_string_n(nuint error, byte* text, nuint length);
    }
}
