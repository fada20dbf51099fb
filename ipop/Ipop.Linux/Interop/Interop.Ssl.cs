using System.Runtime.InteropServices;
using Ipop.Linux;

/// <summary>Native calls, one nested class a library, native names kept. Only declarations live here.</summary>
internal static partial class Interop
{
    /// <summary>libssl of OpenSSL 3, https://docs.openssl.org/3.0/man3/.</summary>
    internal static partial class Ssl
    {
        private const string Library = "libssl.so.3";

        internal const int TLS1_2_VERSION = 0x0303;
        internal const int TLS1_3_VERSION = 0x0304;
        internal const int SSL_VERIFY_NONE = 0;
        internal const int SSL_VERIFY_PEER = 1;
        internal const int SSL_VERIFY_FAIL_IF_NO_PEER_CERT = 2;
        internal const ulong SSL_OP_ENABLE_MIDDLEBOX_COMPAT = 1UL << 20;

        internal const int SSL_ERROR_NONE = 0;
        internal const int SSL_ERROR_WANT_READ = 2;

        // The macros of ssl.h over SSL_CTX_ctrl.
        internal const int SSL_CTRL_SET_SESS_CACHE_MODE = 44;
        internal const int SSL_CTRL_SET_MAX_CERT_LIST = 50;
        internal const int SSL_CTRL_SET_GROUPS_LIST = 92;
        internal const int SSL_CTRL_SET_SIGALGS_LIST = 98;
        internal const int SSL_CTRL_SET_MIN_PROTO_VERSION = 123;
        internal const int SSL_CTRL_SET_MAX_PROTO_VERSION = 124;
        internal const int EVP_PKEY_EC = 408;

        [LibraryImport(Library)]
        internal static partial nint TLS_method();

        [LibraryImport(Library)]
        internal static partial SslContextHandle SSL_CTX_new(nint method);

        [LibraryImport(Library)]
        internal static partial void SSL_CTX_free(nint context);

        [LibraryImport(Library)]
        internal static unsafe partial nint SSL_CTX_ctrl(SslContextHandle context, int command, nint number, byte* text);

        [LibraryImport(Library)]
        internal static partial ulong SSL_CTX_clear_options(SslContextHandle context, ulong options);

        [LibraryImport(Library)]
        internal static partial int SSL_CTX_set_num_tickets(SslContextHandle context, nuint count);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_CTX_set_ciphersuites(SslContextHandle context, byte* names);

        [LibraryImport(Library)]
        internal static partial void SSL_CTX_set_verify(SslContextHandle context, int mode, nint callback);

        [LibraryImport(Library)]
        internal static unsafe partial void SSL_CTX_set_cert_verify_callback(
            SslContextHandle context, delegate* unmanaged[Cdecl]<nint, nint, int> callback, nint argument);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_CTX_use_certificate_ASN1(SslContextHandle context, int length, byte* der);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_CTX_use_PrivateKey_ASN1(int type, SslContextHandle context, byte* der, nint length);

        [LibraryImport(Library)]
        internal static partial int SSL_CTX_check_private_key(SslContextHandle context);

        [LibraryImport(Library)]
        internal static partial SslHandle SSL_new(SslContextHandle context);

        [LibraryImport(Library)]
        internal static partial void SSL_free(nint ssl);

        /// <summary>Takes over both BIOs.</summary>
        [LibraryImport(Library)]
        internal static partial void SSL_set_bio(SslHandle ssl, nint read, nint write);

        [LibraryImport(Library)]
        internal static partial void SSL_set_connect_state(SslHandle ssl);

        [LibraryImport(Library)]
        internal static partial void SSL_set_accept_state(SslHandle ssl);

        /// <summary>Copies the random of the ClientHello; returns how many bytes that are.</summary>
        [LibraryImport(Library)]
        internal static unsafe partial nuint SSL_get_client_random(SslHandle ssl, byte* random, nuint length);

        [LibraryImport(Library)]
        internal static partial int SSL_do_handshake(SslHandle ssl);

        [LibraryImport(Library)]
        internal static partial int SSL_get_error(SslHandle ssl, int result);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_read(SslHandle ssl, byte* buffer, int length);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_write(SslHandle ssl, byte* buffer, int length);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_CTX_set_alpn_protos(SslContextHandle context, byte* protocols, uint length);

        internal const int SSL_CTRL_GET_NEGOTIATED_GROUP = 134;
        internal const int SSL_TLSEXT_ERR_OK = 0;
        internal const int SSL_TLSEXT_ERR_ALERT_FATAL = 2;
        internal const int OPENSSL_NPN_NEGOTIATED = 1;
        internal const int SSL_EXT_CLIENT_HELLO = 0x80;
        internal const int SSL_EXT_TLS1_3_ENCRYPTED_EXTENSIONS = 0x400;

        [LibraryImport(Library)]
        internal static unsafe partial nint SSL_ctrl(SslHandle ssl, int command, nint number, byte* text);

        /// <summary>The name stays the library's.</summary>
        [LibraryImport(Library)]
        internal static partial nint SSL_group_to_name(SslHandle ssl, int group);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_set_ex_data(SslHandle ssl, int index, void* data);

        [LibraryImport(Library)]
        internal static unsafe partial void* SSL_get_ex_data(nint ssl, int index);

        /// <summary>0 if it worked.</summary>
        [LibraryImport(Library)]
        internal static unsafe partial int SSL_set_alpn_protos(SslHandle ssl, byte* protocols, uint length);

        [LibraryImport(Library)]
        internal static unsafe partial void SSL_CTX_set_alpn_select_cb(
            SslContextHandle context, delegate* unmanaged[Cdecl]<nint, byte**, byte*, byte*, uint, nint, int> callback, nint argument);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_select_next_proto(
            byte** output, byte* outputLength, byte* own, uint ownLength, byte* offered, uint offeredLength);

        [LibraryImport(Library)]
        internal static unsafe partial void SSL_get0_alpn_selected(SslHandle ssl, byte** protocol, uint* length);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_CTX_add_custom_ext(
            SslContextHandle context,
            uint type,
            uint where,
            delegate* unmanaged[Cdecl]<nint, uint, uint, byte**, nuint*, nint, nuint, int*, nint, int> add,
            nint free,
            nint addArgument,
            delegate* unmanaged[Cdecl]<nint, uint, uint, byte*, nuint, nint, nuint, int*, nint, int> parse,
            nint parseArgument);

        /// <summary>The caller owns the X509.</summary>
        [LibraryImport(Library)]
        internal static partial nint SSL_get1_peer_certificate(SslHandle ssl);

        [LibraryImport(Library)]
        internal static unsafe partial int SSL_export_keying_material(
            SslHandle ssl, byte* output, nuint outputLength, byte* label, nuint labelLength, byte* context, nuint contextLength, int useContext);
    }
}
