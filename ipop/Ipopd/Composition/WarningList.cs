using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>What `wow status` warns of.</summary>
internal static class WarningList
{
    /// <summary>All of it, in sentences.</summary>
    /// <param name="options">The configuration.</param>
    /// <param name="found">What the machine's networks and the virtual network have to say.</param>
    /// <param name="twin">That another machine has this one's key; null if none was seen.</param>
    /// <param name="certificateTrouble">What is wrong with the certificate; null if nothing is.</param>
    /// <param name="shortages">How often the kernel was short of something, and since when not any more; null if that is no news.</param>
    internal static List<string> Make(DaemonOptions options, IEnumerable<string> found, string? twin, string? certificateTrouble, ShortagesReply? shortages = null)
    {
        var warnings = new List<string>(found);
        if (options.IsOpen)
        {
            warnings.Add("the pool is open: no CA, no IPsec; who knows the secret is in");
        }

        if (twin is not null)
        {
            warnings.Add(twin);
        }

        if (certificateTrouble is not null)
        {
            warnings.Add(certificateTrouble);
        }

        if (shortages is { } few)
        {
            warnings.Add(
                $"the kernel had no more descriptors or memory for ipopd, {few.Count} times so far, {few.LastS} s ago the last time: who connects waits; look with wow doctor");
        }

        if (options.Capture is { } capture)
        {
            warnings.Add($"every frame of {options.TapName} is recorded in {capture}; remove {OptionKey.Capture} from {options.File} to end that");
        }

        return warnings;
    }
}
