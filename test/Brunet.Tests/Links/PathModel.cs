using Brunet.Links;

namespace Brunet.Tests.Links;

/// <summary>A path that carries so much and no more, whoever asks, and the machine that finds it out.</summary>
internal sealed class PathModel(int carries, int assumed = 1341, int largest = 9061)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    private readonly List<(TimeSpan At, ulong Token)> _answers = [];
    private ulong _token;

    public PathMtu Mtu { get; } = new(assumed, largest);

    /// <summary>What the path carries now.</summary>
    public int Carries { get; set; } = carries;

    /// <summary>What the own interface lets out in one piece.</summary>
    public int Interface { get; set; } = 9100;

    public int Hint { get; set; }

    /// <summary>Whether the peer answers at all.</summary>
    public bool Answers { get; set; } = true;

    public bool IsGood { get; set; } = true;

    /// <summary>Says of each probe that would pass whether it is lost all the same.</summary>
    public Func<int, bool> Loses { get; set; } = _ => false;

    /// <summary>Bytes of data that go every step; 0: none.</summary>
    public int Data { get; set; } = 1000;

    /// <summary>Whether the peer sends something back for what arrives.</summary>
    public bool IsTalkative { get; set; } = true;

    public TimeSpan Now { get; private set; } = TimeSpan.FromSeconds(100);

    /// <summary>Sizes of the probes that left the machine, small ones aside.</summary>
    public List<int> Probed { get; } = [];

    public long ProbeBytes { get; private set; }

    /// <summary>Steps in a row, at most, in which data went and nothing arrived.</summary>
    public int LongestGap { get; private set; }

    /// <summary>Lets time pass.</summary>
    public PathModel Pass(double seconds)
    {
        int gap = 0;
        for (TimeSpan end = Now + TimeSpan.FromSeconds(seconds); Now < end; Now += Step)
        {
            for (int index = _answers.Count - 1; index >= 0; index--)
            {
                if (_answers[index].At <= Now)
                {
                    Mtu.OnAnswer(Now, _answers[index].Token);
                    _answers.RemoveAt(index);
                }
            }

            if (Data > 0)
            {
                int size = Math.Min(Data, Mtu.Size);
                Mtu.OnSent(Now, size);
                gap = size <= Carries ? 0 : gap + 1;
                LongestGap = Math.Max(LongestGap, gap);
                if (gap == 0 && IsTalkative)
                {
                    Mtu.OnHeard();
                }
            }

            Probe();
        }

        return this;
    }

    private void Probe()
    {
        for (int count = 0; count < 100; count++)
        {
            if (Mtu.WantsHint)
            {
                Mtu.TakeHint(Hint);
            }

            if (!Mtu.TryProbe(Now, Patience, IsGood, out int size, out bool withSmall))
            {
                Assert.True(Mtu.Next(Patience) > Now, "It wants to be asked without end.");
                return;
            }

            if (size > Interface)
            {
                Mtu.OnRefused(Now, size);
                continue;
            }

            Probed.Add(size);
            Send(size);
            if (withSmall)
            {
                foreach (int beside in Mtu.Beside())
                {
                    Send(beside);
                }

                Send(70);
            }
        }

        Assert.Fail("It probes without end.");
    }

    private void Send(int size)
    {
        ProbeBytes += size;
        Mtu.OnProbed(Now, ++_token, size);
        if (Answers && size <= Carries && !Loses(size))
        {
            _answers.Add((Now + Step, _token));
        }
    }
}
