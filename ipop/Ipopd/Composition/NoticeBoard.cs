using Brunet;
using Brunet.Notices;
using Ipopd.Control;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>Keeps the newest notice of each kind in the state folder, and gives the node what was there before it started.</summary>
internal sealed class NoticeBoard : IDisposable
{
    private readonly Node _node;
    private readonly string _folder;
    private readonly ILogger _log;
    private readonly AuthorityNoticePolicy _policy;

    [Own("one for each kind that the daemon acts on")]
    private readonly Dictionary<byte, Action<TimeSpan, Notice>> _keepers = [];

    internal NoticeBoard(Node node, string folder, ReadOnlySpan<byte> authority, TimeSpan now, ILogger log)
    {
        (_node, _folder, _log) = (node, folder, log);
        _policy = new AuthorityNoticePolicy(authority);
        node.NoticePolicy = _policy;
        node.NoticeArrived = (_, notice) => _policy.Learn(notice);

        // Downwards: the keys that sign stacks before what they signed.
        for (byte kind = Notice.MaxKind; kind >= 1; kind--)
        {
            if (File.Exists(NoticeFile.Path(folder, kind)) && Publish(now, NoticeFile.Path(folder, kind)) is { Text: var trouble })
            {
                log.NoticeNotTaken(trouble);
            }
        }

        node.NoticeArrived = Keep;
    }

    /// <summary>Spreads the notice in a file.</summary>
    /// <returns>What is wrong with it, or null.</returns>
    internal ControlFault? Publish(TimeSpan now, string path)
    {
        try
        {
            if (NoticeFile.Load(path) is not { } notice)
            {
                return new(ControlCode.BadNotice, $"{path} holds no notice of at most {Notice.MaxSize} bytes; give a file that the CA signed");
            }

            return _node.Publish(now, notice) ? null
                : _node.NewestNotice(notice.Kind) is { } newest && newest.Number >= notice.Number
                ? new(
                    newest.Number == notice.Number ? ControlCode.NoticeKnown : ControlCode.NoticeOutdated,
                    $"{path} is number {notice.Number} of kind {notice.Kind}, but number {newest.Number} is known; sign one with a higher number")
                : new(ControlCode.BadNotice, _policy.KnownKeys > 0 && notice.Kind is Agreed.StackNotice or Agreed.TermNotice or Agreed.KeysNotice
                    ? $"{path} does not go on from key {_policy.KnownKeys}, which signs the pool's stack; sign it in the CA's folder where `wow-ca rekey` was typed last"
                    : $"{path} is not signed by the pool's CA; sign it with the key of ca.pem");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new(ControlCode.BadNotice, $"{path} can't be read ({exception.Message}); give a file that ipopd may read");
        }
    }

    /// <summary>From now on somebody acts on the notices of a kind, on the one that is known, too.</summary>
    internal void Heard(TimeSpan now, byte kind, Action<TimeSpan, Notice> keeper)
    {
        _keepers[kind] = keeper;
        if (_node.NewestNotice(kind) is { } known)
        {
            keeper(now, known);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _policy.Dispose();

    private void Keep(TimeSpan now, Notice notice)
    {
        string path = NoticeFile.Path(_folder, notice.Kind);
        _policy.Learn(notice);
        _log.NoticeTaken(notice.Number, notice.Kind, notice.Body.Length);
        try
        {
            StateFolder.Write(path, NoticeFile.Write(notice));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            _log.NoticeNotKept(path, exception.Message);
        }

        _keepers.GetValueOrDefault(notice.Kind)?.Invoke(now, notice);
    }
}
