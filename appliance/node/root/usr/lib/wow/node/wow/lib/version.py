"""The version of the release that these programs are of; Directory.Build.props says it for the others, and a test that they are the same."""

VERSION = "0.1.0"
