"""Thirty mistakes that a sandbox could make, each planted in a copy of a correct record: what an answer, a webhook or a statement would say."""

import copy
import hashlib
import hmac
import json
import random
from decimal import Decimal

PLANTS = {}


def plant(name):
    def add(work):
        PLANTS[name] = work
        return work

    return add


def planted(record, work, seed):
    changed = copy.deepcopy(record)
    work(changed, random.Random(seed))
    return changed


def some(lines, chance, kind, accepts=lambda line: True):
    return chance.choice([line for line in lines if line["kind"] == kind and accepts(line)])


def added(value, text):
    return str(Decimal(str(value)) + Decimal(text))


def succeeded(line):
    return line["status"] < 300


def alter(lines, chance, event, change):
    """Changes the body of a webhook in each of its attempts, and signs it again."""
    secrets = next(line for line in lines if line["kind"] == "begin")["secrets"]
    hook = some(lines, chance, "webhook", lambda line: json.loads(line["raw"])["event"] == event)
    for line in lines:
        if line["kind"] == "webhook" and line["headers"]["x-webhook-id"] == hook["headers"]["x-webhook-id"]:
            body = json.loads(line["raw"])
            change(body)
            line["raw"] = json.dumps(body)
            line["headers"]["x-webhook-signature"] = signed(secrets[line["who"]], line["raw"])


def signed(secret, raw):
    return hmac.new(secret.encode(), raw.encode(), hashlib.sha256).hexdigest()


def entries(lines, chance, accepts):
    """A statement with such an entry, and the places of these entries."""
    found = [
        (line["answer"]["entries"], [at for at, entry in enumerate(line["answer"]["entries"]) if accepts(entry)])
        for line in lines
        if line["kind"] == "statement"
    ]
    rows, places = chance.choice([one for one in found if one[1]])
    return rows, chance.choice(places)


def carry_on(rows, at):
    """Corrects the running balances after a change, so that only the books can tell."""
    balance = None
    for entry in rows:
        if entry["currency"] == rows[at]["currency"]:
            balance = Decimal(entry["amount"]) + (balance or 0)
            entry["balance"] = str(balance)


# Answers


@plant("a charge costs a cent more")
def _(lines, chance):
    data = some(lines, chance, "cashin", succeeded)["answer"]["data"]
    data["fee"] = added(data["fee"], "0.01")


@plant("a withdrawal answers with another amount")
def _(lines, chance):
    data = some(lines, chance, "cashout", succeeded)["answer"]["data"]
    data["amount"] = added(data["amount"], "1")


@plant("a conversion gives a cent too much")
def _(lines, chance):
    data = some(lines, chance, "conversion", succeeded)["answer"]["data"]
    data["amount_to"] = added(data["amount_to"], "0.01")


@plant("a transfer names the wrong recipient")
def _(lines, chance):
    data = some(lines, chance, "transfer", succeeded)["answer"]["data"]
    data["to_user"] = data["from_user"]


@plant("a repeated call makes a second transaction")
def _(lines, chance):
    seen = set()
    for line in lines:
        key = (line["kind"], line.get("who"), json.dumps(line.get("body")))
        if line["kind"] == "cashin" and succeeded(line) and key in seen:
            line["answer"]["data"]["transaction_id"] = "tx_again"
            return
        seen.add(key)
    raise LookupError("no call is repeated: run more operations")


@plant("an external_id is accepted with another amount")
def _(lines, chance):
    line = some(lines, chance, "cashin", lambda line: line["status"] == 409 and line["answer"]["error"]["code"] == "DUPLICATE_EXTERNAL_ID")
    line["status"], line["answer"] = 200, {"data": {"transaction_id": "tx_other"}}


@plant("a withdrawal is accepted without enough money")
def _(lines, chance):
    line = some(lines, chance, "cashout", lambda line: line["status"] == 422)
    line["status"] = 202


@plant("a covered withdrawal is refused")
def _(lines, chance):
    line = some(lines, chance, "cashout", succeeded)
    line["status"], line["answer"] = 422, {"error": {"code": "INSUFFICIENT_BALANCE"}}


@plant("a charge below the minimum is refused with another code")
def _(lines, chance):
    line = some(lines, chance, "cashin", lambda line: line["status"] == 409 and line["answer"]["error"]["code"] == "BELOW_MIN_LIMIT")
    line["answer"]["error"]["code"] = "INVALID_AMOUNT"


@plant("a charge begins as paid")
def _(lines, chance):
    some(lines, chance, "cashin", succeeded)["answer"]["data"]["status"] = "confirmed"


@plant("an action is done twice")
def _(lines, chance):
    line = some(lines, chance, "action", lambda line: succeeded(line) and line["body"]["action"] == "cashin.pay")
    lines.insert(lines.index(line) + 1, copy.deepcopy(line))


@plant("a dispute has a day less")
def _(lines, chance):
    line = some(lines, chance, "action", lambda line: succeeded(line) and line["body"]["action"] == "dispute.open")
    line["answer"]["object"]["deadline_at"] = line["answer"]["object"]["created_at"]


@plant("an action leaves the status as it was")
def _(lines, chance):
    line = some(lines, chance, "action", lambda line: succeeded(line) and line["body"]["action"] == "cashout.fail")
    line["answer"]["object"]["status"] = "pending"


def plant_balance(bucket):
    @plant(f"the balance shows a cent too much as {bucket}")
    def _(lines, chance):
        line = [line for line in lines if line["kind"] == "balance"][-1]
        row = line["answer"]["data"]["balances"][0]
        row[bucket] = added(row[bucket], "0.01")


for one in ("available", "blocked", "pending"):
    plant_balance(one)


@plant("the list lacks a transaction")
def _(lines, chance):
    items = some(lines, chance, "list")["answer"]["data"]["items"]
    items.pop(next(at for at, item in enumerate(items) if item["type"] == "cashin"))


@plant("the list shows an old status")
def _(lines, chance):
    items = some(lines, chance, "list")["answer"]["data"]["items"]
    next(item for item in items if item["type"] == "cashin" and item["status"] != "pending")["status"] = "pending"


# Webhooks


@plant("a webhook is never sent")
def _(lines, chance):
    hook = some(lines, chance, "webhook")["headers"]["x-webhook-id"]
    lines[:] = [line for line in lines if line["kind"] != "webhook" or line["headers"]["x-webhook-id"] != hook]


@plant("an event is sent under a second id")
def _(lines, chance):
    line = copy.deepcopy(some(lines, chance, "webhook", lambda line: line["accepted"]))
    line["headers"]["x-webhook-id"] = "evt_second"
    lines.append(line)


@plant("a webhook goes to the other account")
def _(lines, chance):
    hook = some(lines, chance, "webhook")["headers"]["x-webhook-id"]
    secrets = next(line for line in lines if line["kind"] == "begin")["secrets"]
    for line in lines:
        if line["kind"] == "webhook" and line["headers"]["x-webhook-id"] == hook:
            line["who"] = "customer" if line["who"] == "merchant" else "merchant"
            line["headers"]["x-webhook-signature"] = signed(secrets[line["who"]], line["raw"])


@plant("a webhook is signed with another secret")
def _(lines, chance):
    line = some(lines, chance, "webhook")
    line["headers"]["x-webhook-signature"] = signed("another", line["raw"])


@plant("a failed attempt is not repeated")
def _(lines, chance):
    hook = some(lines, chance, "webhook", lambda line: not line["accepted"])["headers"]["x-webhook-id"]
    lines[:] = [line for line in lines if line["kind"] != "webhook" or line["headers"]["x-webhook-id"] != hook or not line["accepted"]]


@plant("a repeated attempt has another body")
def _(lines, chance):
    secrets = next(line for line in lines if line["kind"] == "begin")["secrets"]
    line = some(lines, chance, "webhook", lambda line: not line["accepted"])
    line["raw"] += " "
    line["headers"]["x-webhook-signature"] = signed(secrets[line["who"]], line["raw"])


@plant("cashin.confirmed has a new_balance of before")
def _(lines, chance):
    alter(lines, chance, "cashin.confirmed", lambda body: body["data"].update(new_balance=body["data"]["old_balance"]))


@plant("cashout.failed returns the amount without the fee")
def _(lines, chance):
    alter(lines, chance, "cashout.failed", lambda body: body["data"].update(refunded_amount=body["data"]["amount"]))


@plant("cashin.refunded names another transaction")
def _(lines, chance):
    alter(lines, chance, "cashin.refunded", lambda body: body["data"].update(original_transaction_id="tx_other"))


# The statement


@plant("the statement lacks a fee")
def _(lines, chance):
    rows, at = entries(lines, chance, lambda entry: entry["type"].endswith("_fee") and Decimal(entry["amount"]) != 0)
    rows.pop(at)
    carry_on(rows, at - 1)


@plant("the statement books a payment twice")
def _(lines, chance):
    rows, at = entries(lines, chance, lambda entry: entry["type"] == "charge")
    rows.insert(at, copy.deepcopy(rows[at]))
    carry_on(rows, at)


@plant("the running balance of the statement breaks")
def _(lines, chance):
    rows, at = entries(lines, chance, lambda entry: entry["type"] == "charge")
    rows[at]["balance"] = added(rows[at]["balance"], "0.01")
