"""An auditor's own books. It shares no code with the sandbox: it reads a record of answers and webhooks, keeps balances of its own,
and returns every difference. The rules are those of the documentation of the platform, and of docs/assumptions.md."""

import hashlib
import hmac
import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
BUCKETS = ("available", "blocked", "pending")
PIX_LIFE, CRYPTO_LIFE = timedelta(seconds=3600), timedelta(minutes=30)
ATTEMPTS = 6
SETTLES_AFTER, DISPUTE_LIFE = timedelta(seconds=2), timedelta(days=7)
MOMENT_FIELDS = {"confirmed_at", "expired_at", "failed_at", "refunded_at", "completed_at", "resolved_at", "created_at"}


def money(value):
    return Decimal(str(value)).quantize(CENT)


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class Books:
    def __init__(self):
        self.findings, self.expected, self.webhooks = [], [], []
        self.balances = defaultdict(Decimal)
        self.fees, self.limits, self.rates, self.things, self.by_external = {}, {}, {}, {}, {}
        # The movements of `available` by account, transaction and currency, as the statement must show them.
        self.moves = defaultdict(list)
        self.disputes, self.listed, self.statements = {}, defaultdict(list), {}
        self.opened = set()

    def find(self, text):
        self.findings.append(text)

    def check(self, label, actual, expected):
        if actual != expected:
            self.find(f"{label} is {actual}, expected {expected}")

    # Movements

    def move(self, who, currency, bucket, amount, thing_id=None):
        self.balances[who, currency, bucket] += amount
        if bucket == "available":
            self.moves[who].append((thing_id, currency, amount))

    def expect(self, who, event, subject, **fields):
        self.expected.append({"who": who, "event": event, "subject": subject, "fields": fields})

    def fee_of(self, who, operation, currency, amount):
        fixed, percent = self.fees[who, operation, currency]
        return fixed + (amount * percent / 100).quantize(CENT, ROUND_HALF_UP)

    def converted(self, net, currency):
        return (net * self.rates[currency]).quantize(CENT, ROUND_DOWN)

    # Calls

    def refusal(self, kind, who, body, amount, fee):
        """The status and code with which the call must be refused, or None."""
        currency = body.get("currency", body.get("base_currency"))
        known = self.by_external.get((who, kind, body["external_id"]))
        if known is not None:
            return None if money(known["body"]["amount"]) == amount else (409, "DUPLICATE_EXTERNAL_ID")
        least, most = self.limits[who, kind, currency]
        if amount < least:
            return 409, "BELOW_MIN_LIMIT"
        if kind == "conversion" and self.converted(amount - fee, currency) == 0:
            return 409, "BELOW_MIN_LIMIT"
        if amount > most:
            return 409, "EXCEEDS_MAX_LIMIT"
        costs = amount if kind == "conversion" else amount + fee
        is_covered = kind == "cashin" or self.balances[who, currency, "available"] >= costs
        return None if is_covered else (422, "INSUFFICIENT_BALANCE")

    def created(self, line):
        kind, who, body, status, answer = (line[name] for name in ("kind", "who", "body", "status", "answer"))
        amount, currency = money(body["amount"]), body.get("currency", body.get("base_currency"))
        fee, label = self.fee_of(who, kind, currency, amount), f"{kind} {body['external_id']} of {who}"
        refused = self.refusal(kind, who, body, amount, fee)
        if refused is not None:
            self.check(f"the answer to {label}", (status, answer.get("error", {}).get("code")), refused)
            return
        self.check(f"the status code of {label}", status, 202 if kind == "cashout" else 200)
        if "data" not in answer:
            return
        data = answer["data"]
        thing_id = data.get("conversion_id", data.get("transaction_id"))
        known = self.by_external.get((who, kind, body["external_id"]))
        if known is not None:
            # The original, in its present state.
            self.check(f"the answer to the repeated {label}", {**data, "status": ""}, {**known["data"], "status": ""})
            self.check(f"the status of the repeated {label}", data["status"], known["status"])
            return
        if thing_id in self.things:
            self.find(f"{label} has the id of another transaction, {thing_id}")
        thing = {"id": thing_id, "kind": kind, "who": who, "body": body, "amount": amount, "fee": fee, "currency": currency}
        thing |= {"status": "pending", "data": data, "external_id": body["external_id"]}
        self.things[thing_id] = self.by_external[who, kind, body["external_id"]] = thing
        self.check(f"the external_id of {label}", data["external_id"], body["external_id"])
        if kind != "conversion":
            self.check(f"the amount of {label}", money(data["amount"]), amount)
            self.check(f"the currency of {label}", data["currency"], currency)
        if kind != "transfer":
            self.check(f"the fee of {label}", money(data["fee"]), fee)
        getattr(self, f"made_{kind}")(thing, data, label)
        self.check(f"the status of {label}", data["status"], thing["status"])

    def made_cashin(self, thing, _data, _label):
        thing["due"] = self.now + (PIX_LIFE if thing["currency"] == "BRL" else CRYPTO_LIFE)

    def made_cashout(self, thing, _data, _label):
        thing["due"] = self.now + SETTLES_AFTER
        for amount in (thing["amount"], thing["fee"]):
            self.move(thing["who"], thing["currency"], "available", -amount, thing["id"])
            self.move(thing["who"], thing["currency"], "pending", amount)

    def made_transfer(self, thing, data, label):
        who, peer, amount = thing["who"], thing["body"]["username"], thing["amount"]
        self.check(f"the parties of {label}", (data["from_user"], data["to_user"]), (who, peer))
        for one, other, part, direction in ((who, peer, -amount, "sent"), (peer, who, amount, "received")):
            old = self.balances[one, thing["currency"], "available"]
            # The received side has an id of its own, which only its webhook tells.
            self.move(one, thing["currency"], "available", part, thing["id"] if direction == "sent" else None)
            subject = thing["id"] if direction == "sent" else None
            fields = {"direction": direction, "amount": amount, "currency": thing["currency"], "counterparty": other}
            self.expect(one, "transfer.confirmed", subject, **fields, old_balance=old, new_balance=old + part)
        thing["status"] = "confirmed"

    def made_conversion(self, thing, data, label):
        who, target = thing["who"], thing["body"]["destination_currency"]
        result = self.converted(thing["amount"] - thing["fee"], thing["currency"])
        self.check(f"the rate of {label}", Decimal(str(data["rate"])), self.rates[thing["currency"]])
        self.check(f"amount_to of {label}", money(data["amount_to"]), result)
        self.check(f"amount_from of {label}", money(data["amount_from"]), thing["amount"])
        self.check(f"the currencies of {label}", (data["currency_from"], data["currency_to"]), (thing["currency"], target))
        self.move(who, thing["currency"], "available", -thing["amount"], thing["id"])
        self.move(who, target, "available", result, thing["id"])
        thing |= {"status": "completed", "result": result, "target": target}
        fields = {"external_id": thing["external_id"], "amount_from": thing["amount"], "amount_to": result, "fee": thing["fee"]}
        currencies = {"currency_from": thing["currency"], "currency_to": target, "rate": Decimal(str(data["rate"]))}
        self.expect(who, "conversion.confirmed", thing["id"], **fields, **currencies, status="completed")

    # Transitions

    def acted(self, line):
        action, status, answer = line["body"]["action"], line["status"], line["answer"]
        if status != 200:
            if "error" not in answer or status not in (404, 409, 422):
                self.find(f"{action} is answered {status}")
            return
        found = answer["object"]
        thing_id = found.get("infraction_id", found.get("conversion_id", found.get("transaction_id")))
        if action == "dispute.open":
            thing = self.things.get(found["transaction_id"])
        else:
            thing = self.disputes.get(thing_id) or self.things.get(thing_id)
        if thing is None:
            self.find(f"{action} names {thing_id}, which nobody created")
            return
        self.transition(action, thing, found)
        reached = self.disputes[thing_id]["status"] if action == "dispute.open" and thing_id in self.disputes else thing["status"]
        self.check(f"the status of {thing_id} after {action}", found["status"], reached)

    FROM = {
        "cashin.pay": {"pending"}, "cashin.expire": {"pending"}, "cashin.refund": {"confirmed"},
        "cashout.confirm": {"pending"}, "cashout.fail": {"pending"}, "cashout.refund": {"confirmed"},
        "conversion.refund": {"completed"}, "dispute.open": {"confirmed"}, "dispute.respond": {"open"},
        **{f"dispute.{name}": {"open", "responded"} for name in ("win", "lose", "cancel", "confirm")},
    }  # fmt: skip

    def transition(self, action, thing, found=None):
        if thing["status"] not in self.FROM[action]:
            self.find(f"{action} of {thing['id']} is allowed, although it is {thing['status']}")
            return
        getattr(self, "do_" + action.replace(".", "_"))(thing, found or {})

    def do_cashin_pay(self, thing, _):
        who, currency, amount, fee = thing["who"], thing["currency"], thing["amount"], thing["fee"]
        old = self.balances[who, currency, "available"]
        self.move(who, currency, "available", amount, thing["id"])
        self.move(who, currency, "available", -fee, thing["id"])
        thing["status"] = "confirmed"
        fields = {"external_id": thing["external_id"], "type": "cashin", "currency": currency, "amount": amount, "fee": fee}
        fields |= {"amount_net": amount - fee, "status": "confirmed", "source": "dynamic_qr"}
        self.expect(who, "cashin.confirmed", thing["id"], **fields, old_balance=old, new_balance=old + amount - fee)

    def do_cashin_expire(self, thing, _):
        thing["status"] = "expired"
        if thing["currency"] == "BRL":
            fields = {"external_id": thing["external_id"], "currency": "BRL", "amount": thing["amount"], "status": "expired"}
            self.expect(thing["who"], "cashin.expired", thing["id"], **fields)

    def do_cashin_refund(self, thing, _):
        who, currency, amount = thing["who"], thing["currency"], thing["amount"]
        old = self.balances[who, currency, "available"]
        self.move(who, currency, "available", -amount, thing["id"])
        thing["status"] = "refunded"
        fields = {"original_transaction_id": thing["id"], "external_id": thing["external_id"], "currency": currency}
        fields |= {"amount": amount, "amount_refunded": amount, "status": "refunded"}
        self.expect(who, "cashin.refunded", None, **fields, old_balance=old, new_balance=old - amount)

    def do_cashout_confirm(self, thing, _):
        self.move(thing["who"], thing["currency"], "pending", -thing["amount"] - thing["fee"])
        thing["status"] = "confirmed"
        fields = {"external_id": thing["external_id"], "amount": thing["amount"], "fee": thing["fee"], "status": "confirmed"}
        self.expect(thing["who"], "cashout.confirmed", thing["id"], **fields, currency=thing["currency"])

    def do_cashout_fail(self, thing, _):
        for amount in (thing["amount"], thing["fee"]):
            self.move(thing["who"], thing["currency"], "pending", -amount)
            self.move(thing["who"], thing["currency"], "available", amount, thing["id"])
        thing["status"] = "failed"
        fields = {"external_id": thing["external_id"], "amount": thing["amount"], "status": "failed"}
        self.expect(thing["who"], "cashout.failed", thing["id"], **fields, refunded_amount=thing["amount"] + thing["fee"])

    def do_cashout_refund(self, thing, _):
        self.move(thing["who"], thing["currency"], "available", thing["amount"], thing["id"])
        thing["status"] = "refunded"
        fields = {"original_transaction_id": thing["id"], "amount": thing["amount"], "amount_refunded": thing["amount"]}
        self.expect(thing["who"], "cashout.refunded", None, **fields, status="refunded")

    def do_conversion_refund(self, thing, _):
        net = thing["amount"] - thing["fee"]
        self.move(thing["who"], thing["target"], "available", -thing["result"], thing["id"])
        self.move(thing["who"], thing["currency"], "available", net, thing["id"])
        thing["status"] = "refunded"
        fields = {"original_conversion_id": thing["id"], "amount_reverted_from": thing["result"], "amount_returned_to": net}
        self.expect(thing["who"], "conversion.refunded", None, **fields)

    def do_dispute_open(self, thing, found):
        if thing["id"] in self.opened:
            self.find(f"a second dispute of {thing['id']} is allowed")
        who, currency, amount = thing["who"], thing["currency"], thing["amount"]
        self.move(who, currency, "available", -amount, thing["id"])
        self.move(who, currency, "blocked", amount)
        dispute = {"id": found["infraction_id"], "kind": "dispute", "charge": thing, "status": "open", "due": self.now + DISPUTE_LIFE}
        self.disputes[dispute["id"]] = dispute
        self.opened.add(thing["id"])
        self.check(f"the deadline of {dispute['id']}", moment(found["deadline_at"]), dispute["due"])
        self.about(dispute, "opened", status="open", amount=amount, currency=currency)

    def about(self, dispute, event, **fields):
        charge = dispute["charge"]
        self.expect(charge["who"], f"chargeback.{event}", charge["id"], infraction_id=dispute["id"], **fields)

    def do_dispute_respond(self, dispute, _):
        dispute["status"] = "responded"
        self.about(dispute, "responded", status="responded")

    def release(self, dispute, status):
        charge = dispute["charge"]
        self.move(charge["who"], charge["currency"], "blocked", -charge["amount"])
        self.move(charge["who"], charge["currency"], "available", charge["amount"], charge["id"])
        dispute["status"] = status
        self.about(dispute, status, amount=charge["amount"], currency=charge["currency"])

    def do_dispute_win(self, dispute, _):
        self.release(dispute, "won")

    def do_dispute_cancel(self, dispute, _):
        self.release(dispute, "canceled")
        self.opened.discard(dispute["charge"]["id"])

    def do_dispute_lose(self, dispute, _):
        self.release(dispute, "lost")
        self.do_cashin_refund(dispute["charge"], {})

    def do_dispute_confirm(self, dispute, _):
        self.release(dispute, "confirmed")
        self.do_cashin_refund(dispute["charge"], {})

    def advanced(self, line):
        self.now = moment(line["answer"]["now"])
        actions = {"cashin": "cashin.expire", "cashout": "cashout.confirm", "dispute": "dispute.confirm"}
        open_states = {"pending", "open", "responded"}
        due = [one for one in [*self.things.values(), *self.disputes.values()] if one["status"] in open_states and one["due"] <= self.now]
        for one in sorted(due, key=lambda one: one["due"]):
            # An answered dispute waits for the platform's decision.
            if one["status"] != "responded":
                self.transition(actions[one["kind"]], one)

    # What the account sees

    def balance(self, line):
        for row in line["answer"]["data"]["balances"]:
            key = (line["who"], row["currency"])
            if row["currency"] not in ("BRL", "USDT"):
                continue
            for bucket in BUCKETS:
                if not self.began:
                    self.balances[(*key, bucket)] = money(row[bucket])
                self.check(f"{bucket} {row['currency']} of {line['who']}", money(row[bucket]), self.balances[(*key, bucket)])

    def judge_list(self, who):
        shown = Counter(row.get("transaction_id", row.get("conversion_id")) for row in self.listed[who])
        rows = {row.get("transaction_id", row.get("conversion_id")): row for row in self.listed[who]}
        for thing_id, count in shown.items():
            if count > 1:
                self.find(f"the list of {who} shows {thing_id} {count} times")
        own = {one["id"]: one for one in self.things.values() if one["who"] == who}
        for thing_id, thing in own.items():
            row = rows.get(thing_id)
            if row is None:
                self.find(f"the list of {who} lacks {thing_id}")
                continue
            self.check(f"the status of {thing_id} in the list", row["status"], thing["status"])
            self.check(f"the amount of {thing_id} in the list", money(row.get("amount", row.get("amount_from"))), thing["amount"])
        strangers = [one for one in rows if one not in own and rows[one]["type"] != "transfer"]
        if strangers:
            self.find(f"the list of {who} shows {strangers[0]}, which nobody created")

    def judge_statement(self, who, statement):
        running = defaultdict(Decimal)
        movements = Counter()
        last = 0
        for entry in statement["entries"]:
            currency, amount = entry["currency"], Decimal(entry["amount"])
            running[currency] += amount
            self.check(f"the balance after entry {entry['entry_id']} of {who}", Decimal(entry["balance"]), running[currency])
            if entry["entry_id"] < last:
                self.find(f"entry {entry['entry_id']} of {who} is out of order")
            last = entry["entry_id"]
            if entry["type"] != "adjustment" and amount != 0:
                subject = None if entry["type"] == "transfer_received" else entry["transaction_id"]
                movements[subject, currency, money(amount)] += 1
        own = Counter((subject, currency, amount) for subject, currency, amount in self.moves[who] if amount != 0)
        for row, count in (own - movements).items():
            self.find(f"the statement of {who} lacks {count} of {row}")
        for row, count in (movements - own).items():
            self.find(f"the statement of {who} has {count} of {row} too many")
        for currency, closing in statement["closing"].items():
            self.check(f"the closing balance of {who} in {currency}", Decimal(closing), running[currency])
            if currency in ("BRL", "USDT"):
                self.check(f"the statement of {who} in {currency}", money(closing), self.balances[who, currency, "available"])

    # Webhooks

    def judge_webhooks(self, secrets, may_repeat):
        by_id, accepted, attempts = {}, set(), Counter()
        for hook in self.webhooks:
            headers, raw = hook["headers"], hook["raw"]
            event_id, body = headers["x-webhook-id"], json.loads(raw)
            label = f"{body['event']} {event_id}"
            attempts[event_id] += 1
            signature = hmac.new(secrets[hook["who"]].encode(), raw.encode(), hashlib.sha256).hexdigest()
            self.check(f"the signature of {label}", headers["x-webhook-signature"], signature)
            self.check(f"the header of {label}", headers["x-webhook-event"], body["event"])
            self.check(f"X-Sandbox of {label}", headers.get("x-sandbox"), "1")
            if not event_id.startswith("evt_"):
                self.find(f"{label} has no id of an event")
            mirror = body["data"].get("transaction_id", body["data"].get("conversion_id"))
            self.check(f"the envelope of {label}", body["transaction_id"], mirror)
            if by_id.setdefault(event_id, (hook["who"], raw)) != (hook["who"], raw):
                self.find(f"{label} has another body when it is sent again")
            if event_id in accepted and not may_repeat:
                self.find(f"{label} is sent again, although it was accepted")
            if hook["accepted"]:
                accepted.add(event_id)
        # The sandbox gives up after six attempts.
        for event_id in [one for one in by_id.keys() - accepted if attempts[one] < ATTEMPTS]:
            self.find(f"{event_id} is not sent until it is accepted")
        self.match([(who, json.loads(raw)) for who, raw in by_id.values()])

    def match(self, received):
        """Each expected event must have come once. Of events that differ in no field but their moment, any may be the one."""
        left = list(received)
        for wanted in self.expected:
            found = next((one for one in left if self.fits(wanted, one)), None)
            if found is not None:
                left.remove(found)
                continue
            names = [one for one in left if one[0] == wanted["who"] and one[1]["event"] == wanted["event"]]
            self.find(f"{wanted['who']} lacks {wanted['event']} of {wanted['subject']} {wanted['fields']}; {len(names)} others are left")
        for who, body in left:
            self.find(f"{who} got {body['event']} of {body['transaction_id']}, which nothing explains")

    def fits(self, wanted, received):
        who, body = received
        if (who, body["event"]) != (wanted["who"], wanted["event"]):
            return False
        if wanted["subject"] not in (None, body["transaction_id"]):
            return False
        data = body["data"]
        if any(name in MOMENT_FIELDS and not self.is_moment(value) for name, value in data.items()):
            return False
        return all(self.same(data.get(name), value) for name, value in wanted["fields"].items())

    def is_moment(self, text):
        return isinstance(text, str) and self.start <= moment(text) <= self.now

    @staticmethod
    def same(actual, expected):
        if isinstance(expected, Decimal):
            return isinstance(actual, str) and Decimal(actual) == expected
        return actual == expected

    def judge(self, record):
        begin = next(line for line in record if line["kind"] == "begin")
        self.start = self.now = moment(begin["now"])
        self.began = False
        for line in record:
            kind = line["kind"]
            if kind in ("fees", "limits"):
                for row in line["answer"]["data"][kind]:
                    key = (line["who"], row["operation"], row["currency"])
                    if kind == "fees":
                        self.fees[key] = (money(row["fixed"]), Decimal(str(row["percent"])))
                    else:
                        self.limits[key] = (Decimal(str(row["min_amount"])), Decimal(str(row["max_amount"])))
            elif kind == "quote":
                self.rates[line["body"]["base_currency"]] = Decimal(str(line["answer"]["data"]["rate"]))
            elif kind == "balance":
                self.balance(line)
            elif kind == "list":
                self.listed[line["who"]] += line["answer"]["data"]["items"]
            elif kind == "statement":
                self.statements[line["who"]] = line["answer"]
            elif kind == "webhook":
                self.webhooks.append(line)
            elif kind == "advance":
                self.advanced(line)
            elif kind == "action":
                self.began = True
                self.acted(line)
            elif kind != "begin":
                self.began = True
                self.created(line)
        for who, statement in self.statements.items():
            self.judge_list(who)
            self.judge_statement(who, statement)
        self.judge_webhooks(begin["secrets"], begin["may_repeat"])
        return self.findings
