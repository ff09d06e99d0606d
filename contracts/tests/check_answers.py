"""Answers are decided by independent_checker.py: the files that are named, or one answer a line."""

import sys

from independent_checker import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
