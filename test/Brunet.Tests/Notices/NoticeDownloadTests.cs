using Brunet.Addressing;
using Brunet.Notices;
using Testing.Simulation;

namespace Brunet.Tests.Notices;

/// <summary>A notice's body, while those who said that they have it die, lie or are hard to hear.</summary>
public sealed class NoticeDownloadTests
{
    private const byte Kind = 1;
    private const int Size = 5000;

    private static readonly NodeAddress Liar = new(66, 66);
    private static readonly NodeAddress[] Honest = [new NodeAddress(1, 1), new NodeAddress(2, 2)];
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(100);

    private readonly Notice _notice = SimulatedNoticePolicy.Sign(Kind, 1, Enumerable.Range(0, Size).Select(i => (byte)(i * 7)).ToArray());
    private TimeSpan _now = TimeSpan.FromSeconds(100);

    [Fact]
    public void A_notice_comes_from_who_has_it_when_the_first_eight_that_had_it_are_gone()
    {
        NoticeDownload download = Begin([.. Enumerable.Range(1, 8).Select(i => new NodeAddress((uint)i, (uint)i))]);
        for (int i = 0; i < 60; i++, _now += TimeSpan.FromSeconds(1))
        {
            _ = download.Due(_now);
        }

        var living = new NodeAddress(99, 99);
        bool isAsked = false;
        for (int i = 0; i < 60; i++, _now += TimeSpan.FromSeconds(1))
        {
            download.AddSource(living);
            isAsked |= download.Due(_now).Exists(asked => asked.Source == living);
        }

        Assert.True(isAsked, "nobody but the dead is asked");
    }

    [Fact]
    public void Nobody_is_waited_for_once_all_are_gone_and_meanwhile_the_next_look_is_never_in_the_past()
    {
        NoticeDownload download = Begin(Honest);
        for (int i = 0; i < 300 && !download.IsAbandoned; i++, _now += Step)
        {
            _ = download.Due(_now);
            Assert.True(download.NextTick > _now);
        }

        Assert.True(download.IsAbandoned);
        Assert.Equal(TimeSpan.MaxValue, download.NextTick);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_liar_among_those_who_have_it_is_found_out_however_often_he_offers_it(int place)
    {
        for (int seed = 0; seed < 20; seed++)
        {
            List<NodeAddress> sources = [.. Honest];
            sources.Insert(place, Liar);
            NoticeDownload download = Begin([.. sources]);
            var random = new Random(seed);
            for (int i = 0; i < 600 && !IsEnded(download); i++, _now += Step)
            {
                download.AddSource(Liar);
                foreach ((ushort piece, NodeAddress source) in download.Due(_now))
                {
                    if (source == Liar || random.NextDouble() < 0.7)
                    {
                        Give(download, source, piece, isTrue: source != Liar);
                    }
                }
            }

            Assert.True(download.IsWhole && download.IsRight, $"seed {seed}: never whole and right within a minute");
        }
    }

    [Fact]
    public void Strangers_who_took_all_places_and_drip_keep_it_from_nobody_once_a_member_has_it()
    {
        NodeAddress[] strangers = [.. Enumerable.Range(1, 8).Select(i => new NodeAddress(1000, (uint)i))];
        var download = new NoticeDownload(NoticeHead.Of(_notice), default);
        for (int i = 0; i < 600 && !IsEnded(download); i++, _now += Step)
        {
            Array.ForEach(strangers, stranger => download.AddSource(stranger, isMember: false));
            download.AddSource(Honest[0], isMember: true);
            foreach ((ushort piece, NodeAddress source) in download.Due(_now))
            {
                if (source == Honest[0] || piece == 0)
                {
                    Give(download, source, piece, isTrue: source == Honest[0]);
                }
            }
        }

        Assert.True(download.IsWhole && download.IsRight, "never whole and right within a minute");
    }

    [Fact]
    public void Bytes_count_only_from_who_was_asked_for_them_last()
    {
        NoticeDownload download = Begin(Honest);
        Assert.False(Give(download, Honest[0], 0, isTrue: true));
        NodeAddress first = download.Due(_now).Find(asked => asked.Piece == 0).Source;
        NodeAddress other = Honest.First(one => one != first);
        Assert.False(Give(download, Liar, 0, isTrue: false));
        Assert.False(Give(download, other, 0, isTrue: true));
        _now += TimeSpan.FromSeconds(1);
        NodeAddress second = download.Due(_now).Find(asked => asked.Piece == 0).Source;
        Assert.Equal(other, second);
        Assert.False(Give(download, first, 0, isTrue: true));
        Assert.True(Give(download, second, 0, isTrue: true));
        Assert.False(Give(download, second, 0, isTrue: true));
        download.Restart(_now);
        Assert.False(Give(download, second, 0, isTrue: true));
    }

    private bool IsEnded(NoticeDownload download)
    {
        if (download.IsWhole && !download.IsRight)
        {
            download.Restart(_now);
        }

        return download.IsWhole;
    }

    private bool Give(NoticeDownload download, NodeAddress from, ushort piece, bool isTrue)
    {
        int start = piece * NoticePieceMessage.PieceSize;
        byte[] bytes = _notice.Body.Span[start..Math.Min(Size, start + NoticePieceMessage.PieceSize)].ToArray();
        bytes[0] ^= isTrue ? (byte)0 : (byte)1;
        return download.Take(from, new NoticePieceMessage(Kind, 1, piece, bytes));
    }

    private NoticeDownload Begin(NodeAddress[] sources)
    {
        var download = new NoticeDownload(NoticeHead.Of(_notice), default);
        Array.ForEach(sources, source => download.AddSource(source));
        return download;
    }
}
