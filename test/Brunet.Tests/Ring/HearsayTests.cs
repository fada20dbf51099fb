using Brunet.Addressing;
using Brunet.Ring;

namespace Brunet.Tests.Ring;

/// <summary>What one question, or one who saw it, can make a node believe of who stands where.</summary>
public sealed class HearsayTests
{
    private static readonly NodeAddress Self = Node(0), Way = Node(1);

    private readonly Refusals _refusals = new();
    private readonly Hearsay _hearsay;

    public HearsayTests() => _hearsay = new Hearsay(_refusals);

    [Fact]
    public void One_question_brings_few_witnesses_however_many_names_its_answers_have()
    {
        for (uint i = 0; i < 64; i++)
        {
            Hear(Node(100 + i), question: 7);
        }

        Assert.Equal(8, _hearsay.Words.Count);
        Assert.Equal(56, _refusals[Full.Witnesses]);
        Assert.True(Hear(Node(500), question: 8));
    }

    [Fact]
    public void Who_speaks_in_his_own_session_is_heard_though_all_places_are_taken_by_invented_names()
    {
        for (uint i = 0; i < 200; i++)
        {
            Hear(Node(100 + i), question: 1 + (i / 8));
        }

        Assert.Equal(64, _hearsay.Words.Count);
        for (uint i = 0; i < 64; i++)
        {
            Assert.True(Hear(Node(1000 + i), question: 0));
        }

        Assert.All(_hearsay.Words.Values, word => Assert.True(word.IsProven));
        Assert.False(Hear(Node(2000), question: 0));
        Assert.Equal(64, _hearsay.Words.Count);
    }

    [Fact]
    public void What_a_witness_said_himself_is_not_replaced_by_what_came_in_his_name()
    {
        Hear(Way, question: 0, Node(5));
        Assert.False(Hear(Way, question: 7, Node(6)));
        Assert.Equal([Node(5)], _hearsay.Words[Way].Addresses);
        Assert.True(Hear(Way, question: 0, Node(6)));
        Assert.Equal([Node(6)], _hearsay.Words[Way].Addresses);
    }

    private bool Hear(NodeAddress witness, uint question, params List<NodeAddress> names) =>
        _hearsay.Hear(witness, new Hearsay.Word(Way, Way, names, TimeSpan.FromSeconds(1)) { Question = question }, Self);

    private static NodeAddress Node(uint number) => NodeAddress.FromPublicKey(BitConverter.GetBytes(number));
}
