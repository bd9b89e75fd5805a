"""Encodings below the formats: protobuf fields, records of a vocabulary, lines of base64. No meaning."""
