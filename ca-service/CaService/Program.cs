Console.WriteLine("wow-ca");
