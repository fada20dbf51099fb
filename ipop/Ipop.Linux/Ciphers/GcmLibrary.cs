using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Ipop.Linux.Ciphers;

/// <summary>
/// AES-256-GCM of Debian's libipsec-mb, by the functions that it exports for each generation of processors; the library's own manager is not used, as
/// its structure differs from release to release.
/// </summary>
internal sealed unsafe class GcmLibrary
{
    /// <summary>Bytes of an expanded key with the powers of its hash, more than any release needs.</summary>
    internal const nuint KeySpace = 8192;

    /// <summary>Bytes of one call's state, more than any release needs.</summary>
    internal const nuint ContextSpace = 512;

    /// <summary>What both have to be aligned to, in bytes.</summary>
    internal const nuint Alignment = 64;

    /// <summary>Debian 13's release and Debian 12's.</summary>
    private static readonly string[] Names = ["libIPSec_MB.so.2", "libIPSec_MB.so.1"];

    private readonly delegate* unmanaged[Cdecl]<byte*, byte*, void> _expand;
    private readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, byte*, byte*, ulong, byte*, byte*, ulong, byte*, ulong, void> _seal;
    private readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, byte*, byte*, ulong, byte*, byte*, ulong, byte*, ulong, void> _open;

    private GcmLibrary(string generation, nint expand, nint seal, nint open)
    {
        Generation = generation;
        _expand = (delegate* unmanaged[Cdecl]<byte*, byte*, void>)expand;
        _seal = (delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, byte*, byte*, ulong, byte*, byte*, ulong, byte*, ulong, void>)seal;
        _open = (delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, byte*, byte*, ulong, byte*, byte*, ulong, byte*, ulong, void>)open;
    }

    /// <summary>The library's word for the processors that its functions are for.</summary>
    internal string Generation { get; }

    /// <summary>Everything that library and processor have in common, fastest first; empty without library.</summary>
    internal static List<GcmLibrary> Find()
    {
        var found = new List<GcmLibrary>();
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64)
        {
            return found;
        }

        foreach (string name in Names)
        {
            if (NativeLibrary.TryLoad(name, out nint library))
            {
                foreach (string generation in Generations())
                {
                    if (NativeLibrary.TryGetExport(library, "aes_gcm_pre_256_" + generation, out nint expand)
                        && NativeLibrary.TryGetExport(library, "aes_gcm_enc_256_" + generation, out nint seal)
                        && NativeLibrary.TryGetExport(library, "aes_gcm_dec_256_" + generation, out nint open))
                    {
                        found.Add(new GcmLibrary(generation, expand, seal, open));
                    }
                }

                break;
            }
        }

        return found;
    }

    /// <summary>Expands a key of 32 bytes.</summary>
    internal void Expand(byte* key, byte* expanded) => _expand(key, expanded);

    /// <summary>Seals; source and destination may be the same.</summary>
    internal void Seal(byte* key, byte* context, byte* to, byte* from, int length, byte* nonce, byte* header, int headerLength, byte* tag) =>
        _seal(key, context, to, from, (ulong)length, nonce, header, (ulong)headerLength, tag, 16);

    /// <summary>Opens, and writes the tag that would be right; comparing it is the caller's.</summary>
    internal void Open(byte* key, byte* context, byte* to, byte* from, int length, byte* nonce, byte* header, int headerLength, byte* tag) =>
        _open(key, context, to, from, (ulong)length, nonce, header, (ulong)headerLength, tag, 16);

    // Whether the system saves the wide registers, too, the runtime has found out.
    private static List<string> Generations()
    {
        var generations = new List<string>();
        bool hasAes = Aes.IsSupported && Pclmulqdq.IsSupported && Sse42.IsSupported;
        bool isWide = hasAes && Avx2.IsSupported && Bmi2.IsSupported;
        bool isWidest = isWide && Avx512F.IsSupported && Avx512BW.VL.IsSupported && Avx512DQ.VL.IsSupported && Avx512CD.IsSupported;
        const int Vaes = (1 << 9) | (1 << 10);
        bool hasVectorAes = isWide && X86Base.CpuId(0, 0).Eax >= 7 && (X86Base.CpuId(7, 0).Ecx & Vaes) == Vaes;
        if (isWidest && hasVectorAes)
        {
            generations.Add("vaes_avx512");
        }

        if (hasVectorAes)
        {
            generations.Add("vaes_avx2");
        }

        if (isWidest)
        {
            generations.Add("avx512");
        }

        if (isWide)
        {
            generations.AddRange(["avx_gen4", "avx_gen2"]);
        }

        if (hasAes)
        {
            generations.Add("sse");
        }

        return generations;
    }
}
