namespace Ipop.Linux.Tests.Measures;

/// <summary>Tests that measure the process or its processor: they run one after the other, once all others have ended.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
