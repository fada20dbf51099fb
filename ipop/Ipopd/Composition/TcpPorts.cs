using Ipop.Linux.Tcp;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>On which TCP ports the overlay listens.</summary>
internal static class TcpPorts
{
    /// <summary>Listens as the configuration says.</summary>
    /// <exception cref="ConfigurationException">A port that the configuration names can't be had.</exception>
    internal static void Open(TcpLinks links, DaemonOptions options, int udpPort, ILogger log)
    {
        foreach (int port in options.TcpPorts?.Select(port => (int)port) ?? [udpPort, TcpLinks.HttpsPort])
        {
            try
            {
                links.Listen(port);
            }
            catch (IOException exception) when (options.TcpPorts is null)
            {
                log.TcpPortTaken(exception.Message);
            }
            catch (IOException exception)
            {
                throw new ConfigurationException($"{options.File}: {OptionKey.TcpPorts}: {exception.Message}; take another, or auto");
            }
        }
    }
}
