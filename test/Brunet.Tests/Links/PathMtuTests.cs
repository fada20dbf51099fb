namespace Brunet.Tests.Links;

/// <summary>What a path carries is found, raised and lowered; little is asked for it.</summary>
public sealed class PathMtuTests
{
    [Fact]
    public void An_ethernet_is_found_by_one_datagram()
    {
        PathModel path = new(1500) { Interface = 1500, Hint = 1500 };
        Assert.Equal(1341, path.Mtu.Size);
        path.Pass(0.1);
        Assert.Equal(1500, path.Mtu.Size);
        Assert.True(path.ProbeBytes <= 1500, $"{path.ProbeBytes} bytes");
    }

    [Theory]
    [InlineData(9000)]
    [InlineData(9061)]
    public void Jumbo_frames_are_found_by_one_datagram_where_the_interface_has_them(int carries)
    {
        PathModel path = new(carries) { Interface = carries, Hint = carries };
        path.Pass(0.1);
        Assert.Equal(carries, path.Mtu.Size);
        Assert.Single(path.Probed);
    }

    [Theory]
    [InlineData(576)]
    [InlineData(1006)]
    [InlineData(1280)]
    [InlineData(1300)]
    [InlineData(1400)]
    [InlineData(1420)]
    [InlineData(1492)]
    [InlineData(1500)]
    [InlineData(9000)]
    public void A_usual_size_is_found_exactly_without_any_help(int carries)
    {
        PathModel path = new(carries);
        path.Pass(15);
        Assert.Equal(carries, path.Mtu.Size);
        Assert.True(path.ProbeBytes < 150_000, $"{path.ProbeBytes} bytes");
    }

    [Fact]
    public void Any_size_is_found_to_a_few_bytes_and_never_above()
    {
        for (int carries = 576; carries <= 9061; carries += 37)
        {
            PathModel path = new(carries);
            path.Pass(20);
            Assert.InRange(path.Mtu.Size, carries - 64, carries);
        }
    }

    [Fact]
    public void What_a_router_told_the_kernel_is_tried_first_and_not_believed()
    {
        PathModel path = new(1400) { Hint = 1400 };
        path.Pass(0.1);
        Assert.Equal((1400, 1400), (path.Mtu.Size, path.Probed[0]));

        PathModel lied = new(1500) { Hint = 600 };
        lied.Pass(1);
        Assert.Equal(1500, lied.Mtu.Size);
    }

    [Fact]
    public void A_peer_that_does_not_know_probes_changes_nothing_and_is_seldom_asked()
    {
        PathModel path = new(1500) { Answers = false };
        path.Pass(300);
        Assert.Equal((1341, false), (path.Mtu.Size, path.Mtu.IsKnown));
        Assert.True(path.Probed.Count <= 6, $"{path.Probed.Count} probes in five minutes");
    }

    [Fact]
    public void Where_nothing_is_sent_nothing_is_asked()
    {
        PathModel path = new(1500) { Data = 0 };
        path.Pass(100);
        Assert.Empty(path.Probed);
        path.Data = 1000;
        path.Pass(20);
        int asked = path.Probed.Count;
        path.Data = 0;
        path.Pass(3600);
        Assert.Equal(asked, path.Probed.Count);
    }

    [Fact]
    public void Small_talk_is_asked_about_once_in_ten_minutes()
    {
        PathModel path = new(1500) { Data = 200, Interface = 1500 };
        path.Pass(590);
        Assert.True(path.ProbeBytes <= 1500, $"{path.ProbeBytes} bytes");
    }

    [Fact]
    public void Bulk_costs_a_datagram_in_five_seconds()
    {
        PathModel path = new(1500) { Data = 1500, Interface = 1500 };
        path.Pass(100);
        Assert.InRange(path.Probed.Count, 15, 22);
    }

    [Theory]
    [InlineData(1500, 1400)]
    [InlineData(1500, 1300)]
    [InlineData(9000, 1500)]
    [InlineData(9000, 1280)]
    public void A_hole_in_the_path_is_found_while_data_goes_into_it(int before, int after)
    {
        PathModel path = new(before) { Data = 9000, Interface = before, Hint = before };
        path.Pass(12);
        Assert.Equal(before, path.Mtu.Size);
        path.Carries = after;
        path.Pass(3);
        Assert.InRange(path.Mtu.Size, after - 20, after);
        Assert.True(path.LongestGap <= 23, $"data went into the hole for {path.LongestGap * 10} ms");
    }

    [Fact]
    public void A_path_that_was_asked_just_before_it_got_a_hole_is_asked_again_within_half_a_second()
    {
        PathModel path = new(1500) { Data = 1500, Interface = 1500, Hint = 1500 };
        path.Pass(10.1);
        path.Carries = 1300;
        path.Pass(3);
        Assert.True(path.LongestGap <= 53, $"data went into the hole for {path.LongestGap * 10} ms");
    }

    [Fact]
    public void A_stream_that_tries_again_after_a_pause_is_helped_though_others_are_answered()
    {
        PathModel path = new(1500) { Data = 1500, Interface = 1500, Hint = 1500 };
        path.Pass(12);
        path.Carries = 1300;
        foreach (double pause in (ReadOnlySpan<double>)[0.2, 0.4])
        {
            path.Data = 0;
            for (int steps = 0; steps < pause * 20; steps++)
            {
                path.Mtu.OnHeard();
                path.Pass(0.05);
            }

            path.Data = 1500;
            path.Pass(0.01);
        }

        Assert.InRange(path.Mtu.Size, 1200, 1300);
    }

    [Fact]
    public void A_size_that_was_only_late_is_used_again_at_once()
    {
        // One of two is lost, and the lesser sizes come before the other.
        PathModel path = new(1500) { Data = 1500, Interface = 1500, Hint = 1500 };
        path.Pass(12);
        path.IsTalkative = false;
        int lost = 0;
        path.Loses = size => size == 1500 && lost++ < 2;
        path.Pass(0.3);
        Assert.Equal(1280, path.Mtu.Size);
        path.Pass(0.2);
        Assert.Equal(1500, path.Mtu.Size);
    }

    [Fact]
    public void A_hole_is_found_too_while_small_packets_are_answered()
    {
        // Nothing looks odd from here: the peer goes on speaking.
        PathModel path = new(1500) { Data = 1500, Interface = 1500 };
        path.Pass(10);
        path.Carries = 1400;
        for (int steps = 0; steps < 80; steps++)
        {
            path.Mtu.OnHeard();
            path.Pass(0.1);
        }

        Assert.Equal(1400, path.Mtu.Size);
    }

    [Fact]
    public void After_a_hole_the_path_is_tried_again_after_a_minute()
    {
        PathModel path = new(1500) { Data = 1500, Interface = 1500 };
        path.Pass(10);
        path.Carries = 1400;
        path.Pass(10);
        Assert.Equal(1400, path.Mtu.Size);
        path.Carries = 1500;
        path.Pass(65);
        Assert.Equal(1500, path.Mtu.Size);
    }

    [Fact]
    public void A_path_that_became_wider_is_found_after_ten_minutes()
    {
        PathModel path = new(1400);
        path.Pass(15);
        path.Carries = 9000;
        path.Pass(605);
        Assert.Equal(9000, path.Mtu.Size);
    }

    [Fact]
    public void A_path_that_carries_nothing_at_all_is_no_question_of_size()
    {
        PathModel path = new(1500) { Data = 1500, Interface = 1500 };
        path.Pass(10);
        path.Carries = 0;
        path.Pass(10);
        path.Carries = 1500;
        path.Pass(1);
        Assert.Equal(1500, path.Mtu.Size);
    }

    [Fact]
    public void An_interface_that_became_narrower_is_believed_at_once()
    {
        PathModel path = new(9000) { Data = 9000, Interface = 9000, Hint = 9000 };
        path.Pass(1);
        (path.Interface, path.Carries, path.Hint) = (1500, 1500, 1500);
        path.Pass(2);
        Assert.Equal(1500, path.Mtu.Size);
        Assert.True(path.LongestGap <= 60, $"data went nowhere for {path.LongestGap * 10} ms");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Ten_percent_of_loss_are_not_taken_for_a_narrow_path(int seed)
    {
        var random = new Random(seed);
        PathModel path = new(1500) { Data = 1500, Interface = 1500, Loses = _ => random.NextDouble() < 0.1 };
        path.Pass(2);
        int narrow = 0;
        for (int steps = 0; steps < 600; steps++)
        {
            path.Pass(1);
            narrow += path.Mtu.Size < 1500 ? 1 : 0;
        }

        Assert.True(narrow <= 70, $"narrow in {narrow} of 600 seconds");
    }

    [Fact]
    public void Where_something_is_lost_or_the_peer_is_far_no_more_than_an_ethernet_is_tried()
    {
        PathModel path = new(9000) { IsGood = false, Hint = 9000 };
        path.Pass(30);
        Assert.Equal(1500, path.Mtu.Size);
        Assert.All(path.Probed, size => Assert.True(size <= 1500));
    }

    [Fact]
    public void The_quickest_answer_says_how_far_the_peer_is()
    {
        PathModel path = new(1500);
        Assert.Equal(TimeSpan.MaxValue, path.Mtu.Shortest);
        path.Pass(30);
        Assert.InRange(path.Mtu.Shortest, TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    }

    [Fact]
    public void An_answer_to_nothing_and_an_answer_twice_change_nothing()
    {
        PathModel path = new(1500);
        path.Pass(1);
        Assert.False(path.Mtu.OnAnswer(path.Now, 1));
        Assert.False(path.Mtu.OnAnswer(path.Now, 0));
        Assert.False(path.Mtu.OnAnswer(path.Now, 77));
        Assert.Equal(1500, path.Mtu.Size);
    }
}
