using Ipop;
using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Composition;

/// <summary>What `wow status` warns of.</summary>
internal static class WarningList
{
    /// <summary>All of it: a code for programs and sentences for people each.</summary>
    /// <param name="options">The configuration.</param>
    /// <param name="overlaps">Networks of the machine that the pool's subnet overlaps, in sentences.</param>
    /// <param name="network">What the virtual network has to say.</param>
    /// <param name="twin">That another machine has this one's key; null if none was seen.</param>
    /// <param name="certificateTrouble">What is wrong with the certificate; null if nothing is.</param>
    /// <param name="keysTrouble">What is wrong with the keys of the stack; null if nothing is.</param>
    /// <param name="shortages">How often the kernel was short of something, and since when not any more; null if that is no news.</param>
    /// <param name="isRecorded">Whether each frame is recorded, where the configuration wants that: the record may have ended, or could not be begun.</param>
    internal static List<WarningReply> Make(
        DaemonOptions options, IEnumerable<string> overlaps, IEnumerable<NetworkWarning> network, string? twin, string? certificateTrouble, string? keysTrouble,
        ShortagesReply? shortages, bool isRecorded)
    {
        var warnings = new List<WarningReply>(overlaps.Select(text => new WarningReply(WarningReply.CodeOverlap, text)));
        warnings.AddRange(network.Select(warning => new WarningReply(Code(warning.Kind), warning.Text)));
        if (options.PoolOpen)
        {
            warnings.Add(new(WarningReply.CodeOpenPool, "the pool is open: no CA, no IPsec; who knows the secret is in"));
        }

        if (twin is not null)
        {
            warnings.Add(new(WarningReply.CodeTwin, twin));
        }

        if (certificateTrouble is not null)
        {
            warnings.Add(new(WarningReply.CodeCertificate, certificateTrouble));
        }

        if (keysTrouble is not null)
        {
            warnings.Add(new(WarningReply.CodeKeys, keysTrouble));
        }

        if (shortages is { } few)
        {
            warnings.Add(new(
                WarningReply.CodeShortage,
                $"the kernel had no more descriptors or memory for ipopd, {few.Count} times so far, {few.LastS} s ago the last time: who connects waits; look with wow doctor"));
        }

        if (options.TapCapture is { } capture)
        {
            warnings.Add(new(
                WarningReply.CodeCapture,
                isRecorded
                    ? $"every frame of {options.TapName} is recorded in {capture}; remove {OptionKey.TapCapture} from {options.File} to end that"
                    : $"no frame of {options.TapName} is recorded in {capture} now, and ipopd's journal says why; a restart begins it anew, unless "
                        + $"{OptionKey.TapCapture} is removed from {options.File}"));
        }

        return warnings;
    }

    private static string Code(NetworkWarningKind kind) => kind switch
    {
        NetworkWarningKind.NameTaken => WarningReply.CodeNameTaken,
        NetworkWarningKind.LanFull => WarningReply.CodeLanFull,
        _ => WarningReply.CodeCertificate,
    };
}
