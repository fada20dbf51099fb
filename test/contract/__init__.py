"""What is made of docs/contract, where several programs and languages agree: code, configuration and tables. `test/figures --write` makes it anew."""
