using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using Brunet.Sessions;

namespace Ipop.Linux.Randomness;

/// <summary>
/// The processor's own generator, by the instruction RDRAND (Intel SDM volume 1, section 7.3.17). .NET has no intrinsic for it, so it is a
/// function of 14 bytes.
/// </summary>
internal sealed unsafe class ProcessorRandom : IHardwareRandom
{
    /// <summary>Bit 30 of ECX of leaf 1 (Intel SDM volume 2, CPUID).</summary>
    private const int FeatureBit = 1 << 30;

    /// <summary>What the SDM advises: a generator that is dry ten times in a row is broken.</summary>
    private const int Tries = 10;

    /// <summary>Draws at the start, of which no two may be equal.</summary>
    private const int TestDraws = 16;

    private static readonly Lazy<nint> Function = new(Map);

    private readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<ulong*, uint> _draw;
    private readonly KernelRandom _kernel = new();

    private ProcessorRandom(nint function) => _draw = (delegate* unmanaged[Cdecl, SuppressGCTransition]<ulong*, uint>)function;

    // rdrand rax; setc cl; mov [rdi], rax; movzx eax, cl; ret: System V ABI, one argument, returns whether the bits are good.
    private static ReadOnlySpan<byte> Code => [0x48, 0x0f, 0xc7, 0xf0, 0x0f, 0x92, 0xc1, 0x48, 0x89, 0x07, 0x0f, 0xb6, 0xc1, 0xc3];

    /// <summary>The generator, or null if this processor has none that works, or no memory may be made executable.</summary>
    internal static ProcessorRandom? TryOpen()
    {
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64 || (X86Base.CpuId(1, 0).Ecx & FeatureBit) == 0 || Function.Value == 0)
        {
            return null;
        }

        // Some AMD processors give the same number for ever after a suspend, and call it good.
        var random = new ProcessorRandom(Function.Value);
        var drawn = new HashSet<ulong>();
        for (int i = 0; i < TestDraws; i++)
        {
            if (!random.TryDraw(out ulong bits) || !drawn.Add(bits))
            {
                return null;
            }
        }

        return random;
    }

    /// <inheritdoc/>
    public ulong Draw() => TryDraw(out ulong bits) ? bits : _kernel.Draw();

    private bool TryDraw(out ulong bits)
    {
        ulong drawn;
        for (int i = 0; i < Tries; i++)
        {
            // All ones is what the broken ones of AMD say.
            if (_draw(&drawn) != 0 && drawn != ulong.MaxValue)
            {
                bits = drawn;
                return true;
            }
        }

        bits = 0;
        return false;
    }

    /// <summary>Puts the function where it can be executed, for the life of the process; 0 if that is not allowed.</summary>
    private static nint Map()
    {
        nuint length = (nuint)Environment.SystemPageSize;
        void* page = Interop.Libc.mmap(
            null, length, Interop.Libc.PROT_READ | Interop.Libc.PROT_WRITE, Interop.Libc.MAP_PRIVATE | Interop.Libc.MAP_ANONYMOUS, -1, 0);
        if ((nint)page == -1)
        {
            return 0;
        }

        Code.CopyTo(new Span<byte>(page, Code.Length));
        if (Interop.Libc.mprotect(page, length, Interop.Libc.PROT_READ | Interop.Libc.PROT_EXEC) != 0)
        {
            _ = Interop.Libc.munmap(page, length);
            return 0;
        }

        return (nint)page;
    }
}
