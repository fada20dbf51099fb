using Brunet.Notices;
using CertificateProfile;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Identity;

/// <summary>What follows from a notice that is the CA's renewed certificate: it counts from then on, for this daemon and, in STATE/ca.pem, for all programs of the machine.</summary>
internal sealed class AuthorityKeeper(PoolCertificateVerifier verifier, string folder, StateWrites writes, ILogger log)
{
    /// <summary>Takes a notice up if it is one, and ends no earlier than what is known. After a power cut the file may lack what the notice has.</summary>
    internal void Take(TimeSpan now, Notice notice)
    {
        if (notice.Kind != PoolAuthority.NoticeKind || !PoolAuthority.TryRead(notice.Body.Span, out PoolAuthority? authority, out _) || !verifier.Renew(authority))
        {
            return;
        }

        string path = StateFolder.AuthorityFile(folder);
        writes.Write(now, path, () => Keep(authority), trouble => log.NoticeNotKept(path, trouble));
    }

    private void Keep(PoolAuthority authority)
    {
        if (AuthorityFile.Keep(folder, authority))
        {
            log.AuthorityTaken($"{authority.NotAfter:u}");
        }
    }
}
