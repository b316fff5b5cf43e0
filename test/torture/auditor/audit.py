"""Audits a sandbox: `audit.py --url URL --operations N --seed N [--plants] [--chaos | --start COMMAND]`, or records of the simulation:
`audit.py --records FILE [--plants]`. Prints one line of JSON, and each finding on standard error."""

import argparse
import json
import sys

from books import Books
from plants import PLANTS, planted
from traffic import Traffic

options = argparse.ArgumentParser()
options.add_argument("--url")
options.add_argument("--operations", type=int, default=500)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--plants", action="store_true", help="also plant each mistake in a record, where it must then be found")
options.add_argument("--chaos", action="store_true", help="injects random faults")
options.add_argument("--start", help="starts the sandbox with this command, and kills and restarts it during the traffic")
options.add_argument("--records", help="a file of records, each of which begins with a line of the kind `begin`")
chosen = options.parse_args()


def recorded(file):
    found = []
    with open(file, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text, parse_float=str)
            if line["kind"] == "begin":
                found.append([])
            found[-1].append(line)
    return found


def is_found(plant):
    """Plants the mistake in the first record that has a place for it."""
    for record in records:
        try:
            return bool(Books().judge(planted(record, plant, chosen.seed)))
        except IndexError:
            continue
    return False


repeated, kills = 0, 0
if chosen.records is not None:
    records = recorded(chosen.records)
else:
    traffic = Traffic(chosen.url, chosen.seed, chosen.chaos, chosen.start)
    records = [traffic.run(chosen.operations)]
    repeated, kills = traffic.repeated, 0 if traffic.program is None else traffic.program.kills
findings = [finding for record in records for finding in Books().judge(record)]
for finding in findings[:20]:
    print(finding, file=sys.stderr)
missed = []
if chosen.plants:
    for name, plant in PLANTS.items():
        if not is_found(plant):
            missed.append(name)
            print(f"not found: {name}", file=sys.stderr)
webhooks = sum(line["kind"] == "webhook" for record in records for line in record)
counts = {"records": len(records), "answers": sum(map(len, records)) - webhooks, "webhooks": webhooks, "repeated": repeated, "kills": kills}
print(json.dumps({**counts, "findings": len(findings), "planted": len(PLANTS) if chosen.plants else 0, "missed": missed}))
sys.exit(1 if findings or missed else 0)
