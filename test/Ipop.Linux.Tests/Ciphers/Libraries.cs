using Ipop.Linux.Ciphers;

namespace Ipop.Linux.Tests.Ciphers;

/// <summary>What the library's tests go through. A machine without it has proven nothing, so there they fail.</summary>
internal static class Libraries
{
    /// <summary>Every set of functions that this processor can run; never empty.</summary>
    internal static List<GcmLibrary> Found()
    {
        List<GcmLibrary> found = GcmLibrary.Find();
        Assert.True(found.Count > 0, "libipsec-mb is not there or has nothing for this processor: install libipsec-mb1 (test/packages.txt); it needs x86-64 with AES");
        return found;
    }
}
