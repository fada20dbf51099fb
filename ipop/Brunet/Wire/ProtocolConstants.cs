namespace Brunet.Wire;

/// <summary>Numbers that both ends of a wire must agree on. docs/protocol.md is the specification.</summary>
internal static class ProtocolConstants
{
    /// <summary>Version of the handshake frame.</summary>
    public const byte Version = 1;

    /// <summary>Bytes of the pool's MAC on a handshake frame (HMAC-SHA256, truncated as RFC 2104 section 5 allows).</summary>
    public const int MacSize = 16;

    /// <summary>Bytes of a handshake frame's cookie.</summary>
    public const int CookieSize = 16;

    /// <summary>Bytes of the AES-GCM tag.</summary>
    public const int TagSize = 16;

    /// <summary>Bytes of an AES-256-GCM key, one for each direction.</summary>
    public const int KeySize = 32;

    /// <summary>Bytes of an AES-GCM nonce (RFC 5116 section 5.2).</summary>
    public const int NonceSize = 12;

    /// <summary>Header of a data frame: type, salt, receiver's index, salt, counter. All of it is authenticated.</summary>
    public const int DataHeaderSize = 16;

    /// <summary>Bytes that a frame has more than what is sealed in it.</summary>
    public const int FrameOverhead = DataHeaderSize + TagSize;

    /// <summary>Largest plaintext message. Larger ones are dropped.</summary>
    public const int MaxMessageSize = 9216;

    /// <summary>Largest frame: a sealed message.</summary>
    public const int MaxFrameSize = MaxMessageSize + FrameOverhead;

    /// <summary>Handshake bytes in one frame, so that frame, ring header and seal stay below 1,280 bytes.</summary>
    public const int MaxHandshakeChunk = 960;

    /// <summary>Hops after which a packet on the ring is dropped.</summary>
    public const byte MaxHops = 64;

    /// <summary>Most candidates of one kind in a message.</summary>
    public const int MaxCandidates = 12;

    /// <summary>Endpoints in a meet message.</summary>
    public const int MaxMeetings = 4;

    /// <summary>The port that every network lets TCP out to, if it lets any out.</summary>
    public const ushort HttpsPort = 443;

    /// <summary>Most neighbours in a message.</summary>
    public const int MaxNeighbours = 16;

    /// <summary>Number of replicas of a record, spread evenly around the ring.</summary>
    public const int Replicas = 4;

    /// <summary>Longest name of a record, in bytes.</summary>
    public const int MaxRecordNameSize = 63;

    /// <summary>Largest value of a record, in bytes.</summary>
    public const int MaxRecordValueSize = 256;

    /// <summary>Largest record, in bytes.</summary>
    public const int MaxRecordSize = 2048;

    /// <summary>Bytes of a record's signature: ECDSA P-256, IEEE P1363.</summary>
    public const int RecordSignatureSize = 64;

    /// <summary>Bytes of the signature under a twin's proof: ECDSA P-256, IEEE P1363.</summary>
    public const int TwinSignatureSize = 64;

    /// <summary>How long a replica may keep a record that is not renewed, in seconds.</summary>
    public const int MaxRecordLife = 600;

    /// <summary>Exporter label of the data keys (RFC 8446 section 7.5).</summary>
    public const string ExporterLabel = "EXPORTER-wow-data-1";

    /// <summary>What stands in front of a record where it is signed, so that the signature serves for nothing else.</summary>
    public static ReadOnlySpan<byte> RecordContext => "wow-dht-record-1"u8;
}

/// <summary>First byte of a frame.</summary>
internal enum FrameType : byte
{
    Handshake = 0x10,
    Data = 0x11,

    /// <summary>Shows what a NAT does; changes nothing else.</summary>
    Knock = 0x12,

    /// <summary>A packet of ESP with its head sealed.</summary>
    Esp = 0x13,
}

/// <summary>First byte of a sealed message.</summary>
internal enum MessageType : byte
{
    /// <summary>A packet of the virtual network.</summary>
    Packet = 1,

    /// <summary>A packet that travels over the ring, hop by hop.</summary>
    Routed = 2,

    /// <summary>Asks for a pong on the same path.</summary>
    Ping = 3,

    /// <summary>Answers a ping and tells where it came from.</summary>
    Pong = 4,

    /// <summary>The sender's neighbours on the ring.</summary>
    Neighbours = 5,

    /// <summary>Where the sender may be reached (connect to me).</summary>
    Candidates = 6,

    /// <summary>A frame to hand on to a node that the receiver is connected to.</summary>
    Relay = 7,

    /// <summary>The sender leaves.</summary>
    Goodbye = 8,

    /// <summary>Asks a neighbour for the records that belong to the sender, too.</summary>
    Collect = 9,

    /// <summary>Ends one part of an answer to a collect.</summary>
    Collected = 10,

    /// <summary>A record that belongs to the receiver, too.</summary>
    Copy = 11,

    /// <summary>There is a notice.</summary>
    Announce = 12,

    /// <summary>Asks for a piece of a notice, or says that the sender has it.</summary>
    NoticeAsk = 13,

    /// <summary>A piece of a notice.</summary>
    NoticePiece = 14,

    /// <summary>There seem to be two machines with one key.</summary>
    Twin = 15,

    /// <summary>Asks for one knock at an address of the sender's.</summary>
    KnockAsk = 16,

    /// <summary>Says whether the knock that was asked for was sent.</summary>
    KnockDone = 17,

    /// <summary>Where the sender's TCP connections come from: both ends connect at the same time.</summary>
    Meet = 18,

    /// <summary>A packet of the virtual network whose TCP checksum the receiver makes.</summary>
    Segment = 19,

    /// <summary>Asks whether a datagram of its length passes the path in one piece.</summary>
    MtuProbe = 20,

    /// <summary>Says that it does.</summary>
    MtuAnswer = 21,

    /// <summary>A node that stands in another ring of the pool.</summary>
    Elsewhere = 22,

    /// <summary>Asks what time it is.</summary>
    ClockAsk = 23,

    /// <summary>Says what time it is.</summary>
    ClockAnswer = 24,
}

/// <summary>What a routed packet carries.</summary>
internal enum RoutedType : byte
{
    /// <summary>A frame of the session between source and destination.</summary>
    Frame = 1,

    /// <summary>Asks the node nearest to the source who stands there, and whoever on the way knows better than the asker.</summary>
    Find = 2,

    /// <summary>Answers a find or a locate.</summary>
    Found = 3,

    /// <summary>Stores a record.</summary>
    Store = 4,

    /// <summary>Asks for a record.</summary>
    Fetch = 5,

    /// <summary>Answers a store or a fetch.</summary>
    Reply = 6,

    /// <summary>Asks the node nearest to the destination for its address.</summary>
    Locate = 7,

    /// <summary>Asks every node on the way to the destination, and the destination, who they are.</summary>
    Trace = 8,

    /// <summary>Answers a trace.</summary>
    Traced = 9,
}
