"""Training compared with the peers: CPU time and peak memory of whole processes, and how well the results compress."""
