using Brunet.Notices;
using CaService.Layers;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>
/// Two releases in one pool, by what they sign and believe. 0.1.0-preview.1 (commit 114b4bae) believes of each kind, 1 to 8, what the CA's own key signed, keeps it, and passes it on; it
/// acts on none above 2. Its whole ipopd plays in test/netns (test/run --long long-release).
/// </summary>
public sealed class FormerReleaseTests : Publishing
{
    /// <summary>Notice.MaxKind of that release.</summary>
    private const byte MaxKind = 8;

    private string Keys => Path.Combine(Ca.StateFolder, "keys.notice");

    private string Term => Path.Combine(Ca.StateFolder, "term.notice");

    [Fact]
    public async Task A_machine_of_the_last_release_passes_term_and_keys_on_and_what_another_key_signed_no_more()
    {
        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, ("a", 5)).Folder);
        Renew();
        Assert.All([Notice, Term], path => Assert.True(IsPassedOn(path), path));
        await RunAsync(0, "rekey");
        Renew();
        Assert.True(IsPassedOn(Keys));
        Assert.All([Notice, Term], path => Assert.False(IsPassedOn(path), path));
    }

    [Fact]
    public async Task A_machine_of_today_believes_a_manager_of_the_last_release_which_signs_lists_alone()
    {
        string list = Path.Combine(Ca.Folder, "list");
        await RunAsync(0, "manager", "--out", Path.Combine(Ca.Folder, "manager"), "--host", "boss", "--address", "127.81.0.77");
        await RunAsync(0, "managers", "boss", "--out", list);
        using var today = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        Assert.True(IsBelieved(today, list));

        // It knows a key of the stack from a manager of today's that was there before.
        await RunAsync(0, "rekey");
        today.Learn(NoticeFile.Load(Keys)!);
        Assert.True(IsBelieved(today, list));
        Assert.Equal(1, today.KnownKeys);
    }

    private static bool IsBelieved(AuthorityNoticePolicy policy, string path)
    {
        Notice notice = NoticeFile.Load(path)!;
        return policy.MayCount(notice) && policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span);
    }

    // Signed by the key of ca.pem: no more was asked.
    private bool IsPassedOn(string path)
    {
        byte[] file = File.ReadAllBytes(path);
        return file[4] <= MaxKind && NoticeIssuer.NumberOf(Ca.Ca.Key, file[4], file) is not null;
    }

    private void Renew() => new TermDesk(new StackFolder(Ca.Ca, Ca.StateFolder), Ca.StateFolder, Ca.Time).Current();
}
