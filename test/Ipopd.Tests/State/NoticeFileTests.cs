using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet.Notices;
using Ipopd.Identity;
using Ipopd.State;

namespace Ipopd.Tests.State;

public sealed class NoticeFileTests
{
    [Fact]
    public void A_notice_comes_back_from_its_file_as_it_was()
    {
        var notice = new Notice(3, 77, new byte[] { 1, 2, 3 }, new byte[] { 4, 5 });
        Notice back = NoticeFile.Read(NoticeFile.Write(notice))!;
        Assert.Equal((notice.Kind, notice.Number), (back.Kind, back.Number));
        Assert.Equal(notice.Body.ToArray(), back.Body.ToArray());
        Assert.Equal(notice.Signature.ToArray(), back.Signature.ToArray());
    }

    [Fact]
    public void What_is_cut_short_or_too_large_or_something_else_is_no_notice()
    {
        byte[] bytes = NoticeFile.Write(new Notice(3, 77, new byte[] { 1 }, new byte[100]));
        for (int length = 0; length < bytes.Length; length++)
        {
            Assert.Null(NoticeFile.Read(bytes.AsMemory(0, length)));
        }

        Assert.Null(NoticeFile.Read(NoticeFile.Write(new Notice(3, 77, new byte[Notice.MaxSize + 1], new byte[100]))));
        bytes[0] = 0;
        Assert.Null(NoticeFile.Read(bytes));
    }

    [Fact]
    public void Only_what_the_holder_of_the_certificate_signed_is_believed()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        var request = new CertificateRequest("CN=WOW CA", key, HashAlgorithmName.SHA384);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        using var policy = new AuthorityNoticePolicy(certificate.RawData);
        byte[] content = Notice.Content(1, 2, [3]);
        byte[] signature = key.SignData(content, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);
        Assert.InRange(signature.Length, 1, Notice.MaxSignatureSize);
        Assert.True(policy.IsSigned(content, signature));
        Assert.False(policy.IsSigned(Notice.Content(1, 3, [3]), signature));
        Assert.False(policy.IsSigned(content, [1]));
        Assert.False(policy.IsSigned(content, []));
    }
}
