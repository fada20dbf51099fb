using System.Buffers.Binary;

namespace Brunet.Wire;

/// <summary>
/// About two machines with one key. Question of a witness: <code>type(1) other(8)</code> Proof of one of the two, handed on to the other:
/// <code>type(1) named(8) signer(8) signature(64)</code>
/// </summary>
internal static class TwinMessage
{
    public const int QuestionSize = 9;

    public const int ProofSize = 17 + ProtocolConstants.TwinSignatureSize;

    private static ReadOnlySpan<byte> Context => "wow-twin-1"u8;

    /// <summary>There is another machine with your key; it has this boot id.</summary>
    public static byte[] Ask(ulong other)
    {
        byte[] message = new byte[QuestionSize];
        message[0] = (byte)MessageType.Twin;
        BinaryPrimitives.WriteUInt64BigEndian(message.AsSpan(1), other);
        return message;
    }

    /// <summary>Signs in the name of the local key.</summary>
    internal delegate byte[] Sign(ReadOnlySpan<byte> message);

    /// <summary>
    /// I have the key, and heard of the machine with boot id <paramref name="named"/>: as that number is random, it runs or ran beside me.
    /// </summary>
    public static byte[] Prove(Sign sign, ulong named, ulong signer)
    {
        byte[] message = new byte[ProofSize];
        message[0] = (byte)MessageType.Twin;
        BinaryPrimitives.WriteUInt64BigEndian(message.AsSpan(1), named);
        BinaryPrimitives.WriteUInt64BigEndian(message.AsSpan(9), signer);
        sign(Signed(message)).CopyTo(message, QuestionSize + 8);
        return message;
    }

    /// <summary>The first id of a message.</summary>
    public static ulong Named(ReadOnlySpan<byte> message) => BinaryPrimitives.ReadUInt64BigEndian(message[1..]);

    /// <summary>The second id of a proof.</summary>
    public static ulong Signer(ReadOnlySpan<byte> proof) => BinaryPrimitives.ReadUInt64BigEndian(proof[9..]);

    /// <summary>What a proof's signature is over, and no other signature of the key.</summary>
    public static byte[] Signed(ReadOnlySpan<byte> proof) => [.. Context, .. proof[1..(QuestionSize + 8)]];

    /// <summary>A proof's signature.</summary>
    public static ReadOnlySpan<byte> Signature(ReadOnlySpan<byte> proof) => proof[(QuestionSize + 8)..];
}
