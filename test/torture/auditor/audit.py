"""Audits a sandbox: `audit.py --url URL --operations N --seed N [--plants] [--chaos | --start COMMAND]`. Prints one line of JSON, and each finding on standard error."""

import argparse
import json
import sys

from books import Books
from plants import PLANTS, planted
from traffic import Traffic

options = argparse.ArgumentParser()
options.add_argument("--url", required=True)
options.add_argument("--operations", type=int, default=500)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--plants", action="store_true", help="also plant each mistake in the record, which must then be found")
options.add_argument("--chaos", action="store_true", help="injects random faults")
options.add_argument("--start", help="starts the sandbox with this command, and kills and restarts it during the traffic")
chosen = options.parse_args()

traffic = Traffic(chosen.url, chosen.seed, chosen.chaos, chosen.start)
record = traffic.run(chosen.operations)
findings = Books().judge(record)
for finding in findings[:20]:
    print(finding, file=sys.stderr)
missed = []
if chosen.plants:
    for name, plant in PLANTS.items():
        if not Books().judge(planted(record, plant, chosen.seed)):
            missed.append(name)
            print(f"not found: {name}", file=sys.stderr)
counts = {"answers": sum(line["kind"] != "webhook" for line in record), "webhooks": sum(line["kind"] == "webhook" for line in record)}
counts |= {"repeated": traffic.repeated, "kills": 0 if traffic.program is None else traffic.program.kills}
print(json.dumps({**counts, "findings": len(findings), "planted": len(PLANTS) if chosen.plants else 0, "missed": missed}))
sys.exit(1 if findings or missed else 0)
