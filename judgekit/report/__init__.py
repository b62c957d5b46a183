"""What a person is shown: tables, summaries, the demonstration."""
