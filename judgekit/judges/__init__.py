"""Ready-made judges, built from the front door."""
