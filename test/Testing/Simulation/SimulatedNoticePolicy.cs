using System.Buffers.Binary;
using System.Security.Cryptography;
using Brunet.Notices;

namespace Testing.Simulation;

/// <summary>A stand-in for the CA's signature: a MAC with a key that only the test has.</summary>
public sealed class SimulatedNoticePolicy : INoticePolicy
{
    private static readonly byte[] Key = new byte[32];

    /// <summary>Signatures that were looked at.</summary>
    public int Verified { get; private set; }

    /// <summary>Makes a notice.</summary>
    public static Notice Sign(byte kind, ulong number, ReadOnlyMemory<byte> body) =>
        new(kind, number, body, HMACSHA256.HashData(Key, Notice.Content(kind, number, body.Span)));

    /// <summary>What bodies must not begin with, to be kept.</summary>
    public byte? Unwanted { get; set; }

    /// <summary>Which numbers a key signed that is believed no more; null: none.</summary>
    public Predicate<ulong>? IsOfFormerKey { get; set; }

    /// <summary>Kind and number of notices that others have in the place of the own one.</summary>
    public List<(byte Kind, ulong Number)> Others { get; } = [];

    public void HeardOther(byte kind, ulong number) => Others.Add((kind, number));

    public bool MayCount(Notice notice)
    {
        ArgumentNullException.ThrowIfNull(notice);
        return Unwanted is null || notice.Body.Span[0] != Unwanted;
    }

    public bool IsSigned(ReadOnlySpan<byte> content, ReadOnlySpan<byte> signature)
    {
        Verified++;
        return IsOfFormerKey?.Invoke(BinaryPrimitives.ReadUInt64BigEndian(content[(Notice.KindAt + 1)..])) != true
            && signature.SequenceEqual(HMACSHA256.HashData(Key, content));
    }
}
