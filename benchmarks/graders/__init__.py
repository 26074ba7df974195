"""Graders as people write them, to be measured beside this judge."""
