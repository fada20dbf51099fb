Console.WriteLine("ipopd");
