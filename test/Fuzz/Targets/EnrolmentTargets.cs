using System.Net;
using System.Text;
using CaService;
using CaService.Admin;
using CaService.Est;
using CertificateProfile;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>What CA and node say to each other: the certs-only answer, the possession check, the ticket and its header, PEM.</summary>
internal static class EnrolmentTargets
{
    private static readonly IPAddress Address = IPAddress.Parse("10.128.3.4");
    private static readonly string Nonce = new('a', Possession.NonceDigits);
    private static readonly byte[] SomeSignature = Encoding.ASCII.GetBytes(Convert.ToBase64String(new byte[70]));

    public static IEnumerable<FuzzTarget> Make()
    {
        byte[] member = CertificateSamples.Signed(CertificateSamples.Member(MemberRole.Worker));
        yield return new CodecTarget(
            "certs-only",
            [new("one", CertsOnly.Write(member)), new("two", CertsOnly.Write(member, CertificateSamples.Signed(CertificateSamples.AuthorityDer))), new("none", CertsOnly.Write())],
            new DerMutator(),
            Rewrite,
            isStrict: false);
        yield return new CodecTarget("possession-question", [new("challenge", Possession.Challenge(Nonce))], new TextMutator(["WOWP1 ", Nonce, "\n"]), input =>
            Possession.TryReadChallenge(input, out string? nonce) ? Answered(nonce) : null);
        yield return new CodecTarget("possession-answer", [new("zeros", Encoding.ASCII.GetBytes(Convert.ToBase64String(new byte[70]) + "\n"))], new TextMutator(["=", "MEUC"]), input =>
        {
            bool isProof = Possession.IsAnswer(CertificateSamples.NodeKey.ExportSubjectPublicKeyInfo(), Nonce, Address, input);
            Oracle.That(!isProof, "nobody answers without the key");
            Oracle.That(!Possession.IsAnswer(input, Nonce, Address, SomeSignature), "what is no key has signed nothing");
            return null;
        });
        yield return new CodecTarget(
            "ticket",
            [new("basic", Encoding.ASCII.GetBytes("Basic " + Convert.ToBase64String("ab12:secret"u8))), new("empty", "Basic "u8.ToArray()), new("bearer", "Bearer x"u8.ToArray())],
            new TextMutator(["Basic ", "=", "==", "YWI6Yw=="]),
            input => BasicCredentials.Read(Encoding.Latin1.GetString(input)) is { } ticket && !ticket.Contains('\ufffd')
                ? Encoding.Latin1.GetBytes("Basic " + Convert.ToBase64String(Encoding.UTF8.GetBytes(ticket)))
                : null,
            isStrict: false);
        yield return new CodecTarget(
            "ticket-id",
            [
                new("hundred", "76c9f6b8-100-1806191999"u8.ToArray()), new("most", "ffffffff-1000000-253402300799"u8.ToArray()), new("old", "76c9f6b8"u8.ToArray()),
                new("parts", Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat("-1", 3000)))),
            ],
            new TextMutator(["-", "0", "-1", "1000001", "99999999999999999999"]),
            input => Encoding.Latin1.GetString(input) is var id && TicketTerms.TryRead(id, out TicketTerms terms) ? Encoding.Latin1.GetBytes(terms.IdWith(id[..8])) : null);
        yield return new CodecTarget(
            "admin-request",
            [
                new("words", "{\"words\":[\"revoke\",\"beta\"]}\n"u8.ToArray()), new("page", "{\"page\":\"ab\",\"words\":[\"overview\",\"--json\"]}\n"u8.ToArray()),
                new("code", "{\"code\":\"ab\"}\n"u8.ToArray()), new("end", "{\"end\":\"ab\"}\n"u8.ToArray()), new("array", "[]\n"u8.ToArray()),
                new("twice", "{\"words\":[],\"words\":[1]}\n"u8.ToArray()), new("open", "{\"words\":["u8.ToArray()),
            ],
            new TextMutator(["{", "}", "[", "]", "\"", ",", ":", "\n", "\"words\"", "\"page\"", "\"code\"", "\"end\"", "\\ud800", "null", "1"]),
            Asked,
            isStrict: false,
            most: 512 << 10);
        yield return new CodecTarget(
            "keys",
            [
                new("one", CertificateSamples.StackKeys(1)) { IsByChance = true },
                new("two", CertificateSamples.StackKeys(2)) { IsByChance = true },
                new("most", CertificateSamples.StackKeys(StackKeys.Most)) { IsByChance = true },
                new("none", "wow-keys 1\n"u8.ToArray()),
                new("small", StackKeys.Add(null, CertificateSamples.AuthorityKey, CertificateSamples.NodeKey).Write()) { IsByChance = true },
                new("long", new byte[17 << 10]),
            ],
            new TextMutator(["wow-keys 1\n", "key ", " ", "=", "\n", "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE"]),
            input => StackKeys.TryRead(input, CertificateSamples.AuthorityKey, out StackKeys? keys) ? Written(keys) : null,
            most: 1 << 18);
        yield return new CodecTarget("pem", [new("certificate", Encoding.ASCII.GetBytes(CertificatePem.Write(member)))], new TextMutator(["-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "=", "\n"]), input =>
            CertificatePem.TryRead(Encoding.UTF8.GetString(input), out byte[]? der) ? Encoding.ASCII.GetBytes(CertificatePem.Write(der)) : null, isStrict: false, most: 512 << 10);
    }

    /// <summary>The command line that it asks for; a login has none, and nothing is asked in two ways.</summary>
    private static byte[] Written(StackKeys keys)
    {
        Oracle.That(keys.Count is >= 1 and <= StackKeys.Most && keys.All.Count() == keys.Count, "a pool has so many keys at most");
        Oracle.That(keys.All.Last().Span.SequenceEqual(keys.Newest.Span) && keys.Continue(keys), "the last is the newest");
        return keys.Write();
    }

    private static byte[]? Asked(byte[] input)
    {
        if (AdminMessage.ReadRequest(input) is not AdminRequest request)
        {
            return null;
        }

        Oracle.That(new[] { request.Page, request.Code, request.End }.Count(one => one is not null) <= 1, "one of the page's ways at most");
        return request.IsOfPage ? null : AdminMessage.Request(request.Words);
    }

    /// <summary>The question again, whose answer by the key is believed, and by another question's nonce is not.</summary>
    private static byte[] Answered(string nonce)
    {
        byte[] key = CertificateSamples.NodeKey.ExportSubjectPublicKeyInfo();
        byte[] answer = Possession.Answer(CertificateSamples.NodeKey, nonce, Address);
        Oracle.That(answer.Length <= Possession.MaxAnswerBytes && Possession.IsAnswer(key, nonce, Address, answer), "whoever has the key answers");
        string fresh = Possession.NewNonce();
        Oracle.That(Possession.TryReadChallenge(Possession.Challenge(fresh), out string? read) && read == fresh, "a fresh question can be read");
        Oracle.That(!Possession.IsAnswer(key, fresh, Address, answer), "an answer is to one question");
        return Possession.Challenge(nonce);
    }

    private static byte[]? Rewrite(byte[] input)
    {
        if (!CertsOnly.TryReadFirst(input, out byte[]? certificate))
        {
            return null;
        }

        try
        {
            return CertsOnly.Write(certificate);
        }
        catch (ArgumentException)
        {
            // What came as BER is looked at by the certificate's own reader; our writer takes DER only.
            return null;
        }
    }
}
