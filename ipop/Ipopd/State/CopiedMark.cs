using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.State;

/// <summary>The file <c>copied</c> beside the control socket: who has keys of its own on this machine (IKE) drops them when it appears.</summary>
internal static class CopiedMark
{
    internal static void Write(DaemonOptions options, ILogger log)
    {
        string path = Path.Combine(Path.GetDirectoryName(options.ControlSocket)!, FileNames.Copied);
        try
        {
            StateFolder.Write(path, []);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            log.CopyNotMarked(path, exception.Message);
        }
    }
}
