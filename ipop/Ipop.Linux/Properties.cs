using System.Runtime.CompilerServices;

// Blittable signatures only: no marshalling stub at run time.
[assembly: DisableRuntimeMarshalling]
