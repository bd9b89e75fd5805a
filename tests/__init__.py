"""The tests: data-driven cases, units, properties, adversarial texts, and parity with the original libraries."""
