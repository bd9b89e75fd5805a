"""Keeps the documents true: ``python -m scripts.docs`` runs examples, follows links and fills in generated parts."""
