using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>A socket's own IPsec policy, linux/xfrm.h.</summary>
    internal static partial class Libc
    {
        internal const int IP_XFRM_POLICY = 17;
        internal const int IPV6_XFRM_POLICY = 35;
        internal const byte XFRM_POLICY_IN = 0;
        internal const byte XFRM_POLICY_OUT = 1;
        internal const byte XFRM_POLICY_ALLOW = 0;

        /// <summary>XFRM_INF: a limit that is none.</summary>
        internal const ulong XFRM_INF = ulong.MaxValue;

        /// <summary>struct xfrm_userpolicy_info, of which a policy without transformation needs these fields; the rest is zero, which selects everything.</summary>
        [StructLayout(LayoutKind.Explicit, Size = 168)]
        internal struct xfrm_userpolicy_info
        {
            /// <summary>Of the selector: AF_INET or AF_INET6.</summary>
            [FieldOffset(40)]
            internal ushort family;

            [FieldOffset(56)]
            internal ulong soft_byte_limit;

            [FieldOffset(64)]
            internal ulong hard_byte_limit;

            [FieldOffset(72)]
            internal ulong soft_packet_limit;

            [FieldOffset(80)]
            internal ulong hard_packet_limit;

            [FieldOffset(160)]
            internal byte dir;

            [FieldOffset(161)]
            internal byte action;
        }
    }
}
