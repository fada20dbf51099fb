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
    private readonly StateWrites _writes;
    private readonly ILogger _log;
    private readonly AuthorityNoticePolicy _policy;

    [Own("one for each kind that the daemon acts on")]
    private readonly Dictionary<byte, Action<TimeSpan, Notice>> _keepers = [];

    internal NoticeBoard(Node node, string folder, ReadOnlySpan<byte> authority, TimeSpan now, StateWrites writes, ILogger log)
    {
        (_node, _folder, _writes, _log) = (node, folder, writes, log);
        _policy = new AuthorityNoticePolicy(authority);
        node.NoticePolicy = _policy;
        Notice? first = FirstKeys();
        node.NoticeArrived = (_, notice) => _policy.Learn(notice);

        // The keys that sign stacks before what they signed.
        foreach (byte kind in Enumerable.Range(1, Notice.MaxKind).OrderBy(kind => kind != Agreed.KeysNotice).Select(kind => (byte)kind))
        {
            if (File.Exists(NoticeFile.Path(folder, kind)) && Publish(now, NoticeFile.Path(folder, kind)) is { Text: var trouble })
            {
                log.NoticeNotTaken(trouble);
            }
        }

        node.NoticeArrived = Keep;

        // What was heard before goes on from these, or counts no more.
        if (first is not null && node.NewestNotice(first.Kind) is null)
        {
            node.Publish(now, first);
        }

        Drop();
    }

    /// <summary>What is wrong with the keys of the stack, for people; null if nothing is known to be.</summary>
    internal string? KeysTrouble => _policy.OtherKeys == 0 ? null
        : $"somebody tells of {_policy.OtherKeys} keys that sign the pool's stack and do not go on from the {_policy.KnownKeys} that this machine knows: it takes nothing that they "
        + "sign. Ask the pool's administrator: if the CA came back from a backup, this machine needs a new configuration disk (wow pool stamp); if not, somebody has the CA's key";

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

            if (_policy.IsForked(notice))
            {
                _policy.HeardOther(notice.Kind, notice.Number);
                return new(
                    ControlCode.BadNotice,
                    $"{path} has {notice.Number} keys, and the pool knows as many that do not go on from the same one; sign in the CA's folder whose keys the pool knows");
            }

            return _node.Publish(now, notice) ? null
                : _node.NewestNotice(notice.Kind) is { } newest && newest.Number >= notice.Number
                ? new(
                    newest.Number == notice.Number ? ControlCode.NoticeKnown : ControlCode.NoticeOutdated,
                    $"{path} is number {notice.Number} of kind {notice.Kind}, but number {newest.Number} is known; sign one with a higher number")
                : new(ControlCode.BadNotice, _policy.KnownKeys > 0 && notice.Kind is Agreed.StackNotice or Agreed.TermNotice or Agreed.OriginsNotice or Agreed.KeysNotice
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

    /// <summary>The keys that the configuration disk brought, which the policy knows from now on; null where it brought none that the CA signed.</summary>
    private Notice? FirstKeys()
    {
        string path = Path.Combine(_folder, FileNames.FirstKeys);
        try
        {
            if (!File.Exists(path))
            {
                return null;
            }

            if (NoticeFile.Load(path) is { } notice && _policy.Begin(notice))
            {
                return notice;
            }

            _log.NoticeNotTaken($"{path} holds no keys that the CA of ca.pem signed; give this machine a configuration disk of its pool: wow pool stamp");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            _log.NoticeNotTaken($"{path} can't be read ({exception.Message}); give a file that ipopd may read");
        }

        return null;
    }

    /// <summary>
    /// Removes what is kept and does not count by the newest key of the stack, as what somebody published with a former one. The stack goes last: without it a term would
    /// tell of one that did not come.
    /// </summary>
    private void Drop()
    {
        foreach (byte kind in _policy.KnownKeys == 0 ? [] : (byte[])[Agreed.OriginsNotice, Agreed.TermNotice, Agreed.StackNotice])
        {
            string path = NoticeFile.Path(_folder, kind);
            try
            {
                if (_node.NewestNotice(kind) is null && File.Exists(path))
                {
                    File.Delete(path);
                    _log.NoticeDropped(path);
                }
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                _log.NoticeNotKept(path, exception.Message);
            }
        }
    }

    private void Keep(TimeSpan now, Notice notice)
    {
        string path = NoticeFile.Path(_folder, notice.Kind);
        _policy.Learn(notice);
        _log.NoticeTaken(notice.Number, notice.Kind, notice.Body.Length);
        _writes.Write(now, path, () => Store(path, notice), trouble => _log.NoticeNotKept(path, trouble));
        if (notice.Kind == Agreed.KeysNotice)
        {
            _node.JudgeNotices();
            Drop();
        }

        _keepers.GetValueOrDefault(notice.Kind)?.Invoke(now, notice);
    }

    /// <summary>Unless other keys were heard of since, by which it does not count.</summary>
    private void Store(string path, Notice notice)
    {
        if (_node.NewestNotice(notice.Kind)?.Number == notice.Number)
        {
            StateFolder.Write(path, NoticeFile.Write(notice));
        }
    }
}
