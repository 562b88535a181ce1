"""`python -m tests.reference FILE` prints the reference report as JSON."""

import json
import sys

from . import reference_report

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.reference FILE")
    print(json.dumps(reference_report(sys.argv[1]), indent=1))
