using CertificateProfile;

namespace CaService;

/// <summary>
/// What this CA told the pool, as the ipopd beside it has it: newer than the folder where that came back from a copy. The folder takes it up, so that neither revoked
/// machines come back nor drained ones get jobs, and no renewal is refused for the end of a certificate of the CA that was renewed since. It is looked at again when
/// a file changes, for neighbours hand it on once the ring is joined.
/// </summary>
/// <param name="ca">The CA.</param>
/// <param name="revocations">Takes revoked certificates.</param>
/// <param name="drained">Takes drained machines.</param>
/// <param name="folder">ipopd's state folder.</param>
/// <param name="log">Takes a line an event.</param>
internal sealed class HeardNotices(CaFolder ca, RevocationDesk revocations, DrainDesk drained, string folder, Action<string> log)
{
    /// <summary>Any notice is smaller, in bytes.</summary>
    private const int Largest = 1 << 17;

    private readonly string _list = Path.Combine(folder, FileNames.Revocations);
    private readonly string _drains = Path.Combine(folder, FileNames.Drained);
    private readonly string _renewed = Path.Combine(folder, FileNames.RenewedAuthority);
    private (DateTime Time, long Length)? _listSeen;
    private (DateTime Time, long Length)? _drainsSeen;
    private (DateTime Time, long Length)? _renewedSeen;

    /// <summary>Takes up the revoked certificates, if there is another list than before.</summary>
    /// <exception cref="IOException">The file can't be read, or the disk is full.</exception>
    /// <exception cref="UserError">The list would be too long.</exception>
    public void LookForRevoked() => Look(_list, ref _listSeen, RevocationListIssuer.NoticeKind, (_, body, _) =>
        ca.Authority.TryReadRevocations(body, out RevocationList? list, out _) ? revocations.Hear(list) : null);

    /// <summary>Takes up the drained machines, if there is another list than before.</summary>
    /// <exception cref="IOException">The file can't be read, or the disk is full.</exception>
    public void LookForDrained() => Look(_drains, ref _drainsSeen, DrainedList.NoticeKind, (number, body, file) =>
        DrainedList.TryRead(body, out DrainedList? list) && drained.Hear(number, list, file) ? $"heard drained={list.Machines.Count} list={number}" : null);

    /// <summary>Takes up the CA's certificate, if it was renewed.</summary>
    /// <exception cref="IOException">The file can't be read, or the disk is full.</exception>
    public void LookForAuthority() => Look(_renewed, ref _renewedSeen, PoolAuthority.NoticeKind, (_, _, file) =>
        ca.Hear(file) ? $"heard authority until={ca.Authority.NotAfter:yyyy-MM-dd}" : null);

    private delegate string? Taker(ulong number, ReadOnlySpan<byte> body, byte[] file);

    // What was seen is noted last: what could not be taken is taken the next time.
    private void Look(string path, ref (DateTime Time, long Length)? seen, byte kind, Taker take)
    {
        var file = new FileInfo(path);
        if (!file.Exists || file.Length > Largest || seen == (file.LastWriteTimeUtc, file.Length))
        {
            return;
        }

        byte[] bytes = RottenFile.ReadSigned(path);
        if (NoticeIssuer.TryRead(ca.Key, kind, bytes, out ulong number, out ReadOnlySpan<byte> body) && take(number, body, bytes) is string taken)
        {
            log(taken);
        }

        seen = (file.LastWriteTimeUtc, file.Length);
    }
}
