using System.Globalization;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Ipopd.Composition;

/// <summary>Two machines with one key, in words for the owners of both.</summary>
internal static class TwinReport
{
    /// <summary>What is wrong and what to do.</summary>
    internal static string Describe(NodeAddress node, TwinStatus twin)
    {
        string what = string.Create(
            CultureInfo.InvariantCulture,
            $"another machine runs with the key of this node {node} (boot id {twin.Other:x16}, this one's is {twin.Own:x16}): one is a copy of the other. ");
        return what + (twin.MustYield
            ? "This one has left the pool until it starts again. At the copy's screen press L, then start it; or type wow reset there"
            : "The other one leaves the pool; this one goes on");
    }
}
