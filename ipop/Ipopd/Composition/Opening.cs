using Ipop.Linux.KernelLog;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>Opens what the daemon needs of the kernel, or says what to do.</summary>
internal static class Opening
{
    /// <summary>The overlay's socket.</summary>
    /// <exception cref="ConfigurationException">The port can't be had.</exception>
    internal static UdpSocket Overlay(DaemonOptions options)
    {
        try
        {
            return UdpSocket.OpenFast(options.UdpPort, options.Offload.UdpRuns, options.Offload.UdpGro);
        }
        catch (IOException exception)
        {
            throw new ConfigurationException($"{options.File}: {OptionKey.UdpPort} = {options.UdpPort}: {exception.Message}; take another port, or 0 for any");
        }
    }

    /// <summary>What tells that the machine was copied; null where the kernel's log can't be read.</summary>
    internal static CopyWatch? Copies(ILogger log)
    {
        try
        {
            return CopyWatch.Open();
        }
        catch (IOException exception)
        {
            log.KernelLogUnread(exception.Message);
            return null;
        }
    }
}
