"""Measurements: everything as a ratio to a bare script on the same files in the same run."""
