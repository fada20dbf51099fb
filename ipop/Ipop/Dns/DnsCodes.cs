namespace Ipop.Dns;

/// <summary>Types of resource records (RFC 1035, 2782, 3596, 6891, 6895).</summary>
internal enum DnsType : ushort
{
    A = 1,
    Ns = 2,
    Soa = 6,
    Ptr = 12,
    Srv = 33,
    Opt = 41,

    /// <summary>The first of those that stand in questions only: transfers of zones, and the like.</summary>
    FirstOfQuestions = 128,
    Any = 255,
}

/// <summary>Response codes (RFC 1035 section 4.1.1, RFC 6891 section 9).</summary>
internal enum DnsResponseCode
{
    NoError = 0,
    FormatError = 1,
    ServerFailure = 2,
    NameError = 3,
    NotImplemented = 4,
    Refused = 5,
    BadVersion = 16,
}
