namespace Ipopd.Configuration;

/// <summary>The configuration can't be used. The message names file, section and key and says what to do.</summary>
internal sealed class ConfigurationException(string message) : Exception(message);
