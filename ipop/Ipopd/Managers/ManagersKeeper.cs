using Brunet.Notices;
using Ipop;
using Ipop.Addresses;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Managers;

/// <summary>What follows from a notice that is a list of managers: who is meant by the services' names, and whose records they and the managers' addresses are.</summary>
internal sealed class ManagersKeeper(VirtualNetwork network, RecordPolicy policy, Subnet subnet, ILogger log)
{
    private ulong _number;

    /// <summary>Takes a notice up if it is a list, and newer than what is known. That the CA signed it is known.</summary>
    internal void Take(TimeSpan now, Notice notice)
    {
        if (notice.Kind != ManagerList.NoticeKind || notice.Number <= _number)
        {
            return;
        }

        if (!ManagerList.TryRead(subnet, notice.Body.Span, out ManagerList? list, out string reason))
        {
            log.ManagersNotTaken(notice.Number, reason);
            return;
        }

        _number = notice.Number;
        log.ManagersTaken(notice.Number, list.Managers.Count, list.First.Host, list.Authority.Host);
        policy.Managers = list;
        network.ManagersChanged(now, list);
    }
}
