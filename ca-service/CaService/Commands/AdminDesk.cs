using CaService.Admin;
using CaService.Layers;

namespace CaService.Commands;

/// <summary>
/// Whose word counts for what. An administrator's account has command lines done. The web page's account has none done of itself: it hands on a browser's
/// secret, and what that does is the administrator's whose login it is.
/// </summary>
internal sealed class AdminDesk(PageSessions sessions, string folder, TimeProvider time)
{
    /// <summary>Commands that the page may hand on. None that makes a code: who broke into the page could keep a login for ever. No policy, and no stack: a page needs none.</summary>
    private static readonly string[] OfPage = ["overview", "approve", "deny", "ticket", "revoke", DrainCommand.Name];

    /// <summary>Options that it may not: the manager is revoked by who is logged in there, and a page shows nothing that is unknown.</summary>
    private static readonly string[] NotOfPage = ["--manager", $"--{RevokeCommand.Unknown}"];

    /// <summary>Does what is asked, if who asks may.</summary>
    /// <param name="request">What is asked.</param>
    /// <param name="who">The account that asks.</param>
    /// <param name="upload">Has the layers of a stack that is to be published; null where nothing can be sent.</param>
    public async Task<(int Code, string Output, string Error)> AnswerAsync(AdminRequest request, string who, ILayerSource? upload = null)
    {
        if (who.All(char.IsAsciiDigit))
        {
            return No($"the account {who} has no name on this machine, so nothing is done for it.");
        }

        if (who == Agreed.WebAccount)
        {
            return await HandedAsync(request);
        }

        return request.IsOfPage
            ? No("this is asked by the web page's account alone.")
            : await CommandLine.AnswerAsync(request, who, folder, time, sessions, upload);
    }

    private static (int Code, string Output, string Error) No(string why) => ((int)ExitCode.Usage, string.Empty, $"wow-ca: {why}\n");

    /// <summary>As the page knows it from other refusals: the browser is to log in anew.</summary>
    private static (int Code, string Output, string Error) NotIn(string why) => ((int)ExitCode.NotAdmitted, string.Empty, $"wow-ca: {why}\n");

    private async Task<(int Code, string Output, string Error)> HandedAsync(AdminRequest request)
    {
        if (request.Code is string code)
        {
            return sessions.TryLogin(code, out string? secret, out _)
                ? ((int)ExitCode.Done, $"{secret}\n", string.Empty)
                : NotIn($"that code is not good: each is for one login within {PageSessions.CodeLife.TotalMinutes:0} minutes, and the newest one counts. Type wow-ca page for another.");
        }

        if (request.End is string ended)
        {
            sessions.End(ended);
            return ((int)ExitCode.Done, string.Empty, string.Empty);
        }

        if (request.Page is null || sessions.WhoHas(request.Page) is not string administrator)
        {
            return NotIn("no administrator is logged in by that browser any more. Type wow-ca page for a new code.");
        }

        return request.Words is [var name, ..] && OfPage.Contains(name) && !request.Words.Intersect(NotOfPage).Any()
            ? await CommandLine.AnswerAsync(request, $"{administrator}/page", folder, time)
            : No("this is not done by the page: log in to the manager, and type it there.");
    }
}
