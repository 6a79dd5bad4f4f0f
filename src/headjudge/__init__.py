"""headjudge: a high-throughput batch verifier for the state-based actions of Magic: The Gathering."""
