using Brunet.Sessions;

namespace Ipop.Linux.Randomness;

/// <summary>Where <see cref="HardwareRandom"/> has its bits from.</summary>
public enum HardwareRandomSource
{
    /// <summary>RDRAND: nothing of it is in the machine's memory.</summary>
    Processor,

    /// <summary>
    /// getrandom(2), because the processor has no generator that works. A snapshot copies the kernel's state; two copies differ only once
    /// the kernel has mixed in what differs, at the latest when the hypervisor tells it by the VM Generation ID.
    /// </summary>
    Kernel,
}

/// <summary>The best source of bits that a snapshot does not copy on this machine.</summary>
public static class HardwareRandom
{
    /// <summary>Opens it, once a process.</summary>
    public static IHardwareRandom Open(out HardwareRandomSource source)
    {
        if (ProcessorRandom.TryOpen() is { } processor)
        {
            source = HardwareRandomSource.Processor;
            return processor;
        }

        source = HardwareRandomSource.Kernel;
        return new KernelRandom();
    }
}
