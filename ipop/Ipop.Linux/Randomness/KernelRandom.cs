using Brunet.Sessions;

namespace Ipop.Linux.Randomness;

/// <summary>The kernel's generator, one call a number: nothing is kept in this process.</summary>
internal sealed unsafe class KernelRandom : IHardwareRandom
{
    /// <inheritdoc/>
    public ulong Draw()
    {
        ulong bits;
        while (Interop.Libc.getrandom(&bits, sizeof(ulong), 0) != sizeof(ulong))
        {
            // Only a signal before the generator is ready can cut it short (getrandom(2)).
        }

        return bits;
    }
}
