using CertificateProfile;

namespace CaService;

/// <summary>
/// The newest list of managers, as ipopd keeps it in its state folder: `wow-ca managers` may have signed it in a copy of this CA's folder. It is read again
/// when the file changes; an older list never takes a newer one's place.
/// </summary>
/// <remarks>Safe for concurrent use.</remarks>
internal sealed class ListedManagers(CaFolder ca, string path, Action<string> log)
{
    /// <summary>A list has no kilobyte, in bytes; any notice has less than this.</summary>
    private const int Largest = 1 << 17;

    private readonly Lock _lock = new();
    private (DateTime Time, long Length)? _seen;
    private ManagerList? _list;
    private ulong _number;
    private string? _fault;
    private string? _told;

    /// <summary>The list.</summary>
    /// <param name="managers">The newest list; null where the pool has none.</param>
    /// <returns>False if there is a file, but no list was ever read from it.</returns>
    public bool TryGet(out ManagerList? managers)
    {
        lock (_lock)
        {
            Look();
            managers = _list;
            return _list is not null || _fault is null;
        }
    }

    private void Look()
    {
        try
        {
            var file = new FileInfo(path);
            if (!file.Exists)
            {
                (_seen, _fault) = (null, null);
            }
            else if (_seen != (file.LastWriteTimeUtc, file.Length))
            {
                _seen = (file.LastWriteTimeUtc, file.Length);
                _fault = file.Length > Largest ? "it is too large for one" : Read(File.ReadAllBytes(path));
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            (_seen, _fault) = (null, e.Message);
        }

        if (_fault is not null)
        {
            Tell($"managers list=no reason={path} holds no list of managers that this CA signed ({_fault}): end ipopd, remove the file and start both again");
        }
    }

    /// <summary>What is wrong with the file; null if nothing.</summary>
    private string? Read(byte[] bytes)
    {
        if (!NoticeIssuer.TryRead(ca.Key, ManagerList.NoticeKind, bytes, out ulong number, out ReadOnlySpan<byte> body))
        {
            return "its form or its signature is wrong";
        }

        if (number < _number)
        {
            return $"it is number {number}, and number {_number} was there";
        }

        if (!ManagerList.TryRead(ca.Authority.Pool.Subnet, body, out ManagerList? list, out string reason))
        {
            return reason;
        }

        (_number, _list) = (number, list);
        Tell($"managers list={number} hosts={string.Join(',', list.Managers.Select(manager => manager.Host))}");
        return null;
    }

    /// <summary>A line that says what the last one said is left out.</summary>
    private void Tell(string line)
    {
        if (line != _told)
        {
            log(line);
            _told = line;
        }
    }
}
