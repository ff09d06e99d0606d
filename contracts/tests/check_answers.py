"""Answers are decided by independent_checker.py, in the same way: one answer a line."""

import sys

from independent_checker import main

if __name__ == "__main__":
    sys.exit(main([]))
