"""Parts of independent_checker.py: numbers, the form of the files, schemas, the charge for
rounding, releases, answers."""
