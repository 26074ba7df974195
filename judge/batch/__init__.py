"""Many submissions: found in files, folders and zips, judged in parallel, results as they come."""
