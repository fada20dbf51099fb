/// <summary>What ipopd says of itself.</summary>
internal static class Usage
{
    internal const string Text =
        """
        usage: ipopd --config FILE          run the node
               ipopd key --config FILE      make the node's key if there is none, print the node's address
               ipopd enroll --config FILE   get a certificate from the pool's CA once
        """;
}
