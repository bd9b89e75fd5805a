"""The loaders under mutation: ``python -m tests.fuzz``. The kernel's half is ``crates/fuzz``; ``make fuzz`` runs both."""
