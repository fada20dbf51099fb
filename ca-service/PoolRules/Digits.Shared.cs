namespace PoolRules;

// The projects that refer to this one see the class.
public static partial class Digits;
