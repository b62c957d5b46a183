"""What the reference matcher reads in a text by rule: words, clauses, dates, numbers, units, negations."""
