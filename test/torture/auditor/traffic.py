"""Random traffic against a sandbox, over HTTP only. Returns a record of all answers and webhooks, in order, which books.py judges."""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import random
import shlex
import subprocess
import threading
import time
import urllib.error
import urllib.request
import uuid

USERS = ("merchant", "customer")
ACTIONS = (
    ["cashin.pay"] * 6
    + ["dispute.open"] * 3
    + ["cashin.expire", "cashin.refund", "cashout.confirm", "cashout.fail", "cashout.refund", "conversion.refund"]
    + ["dispute.win", "dispute.lose", "dispute.cancel", "dispute.confirm", "dispute.respond"]
)
ADVANCES = ["1s", "2s", "10m", "30m", "1h", "1d", "8d"]


class Receiver:
    """Records every webhook and answers 200; some first attempts are answered 500, so that they are repeated."""

    def __init__(self, record, chance):
        outer, self.lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.lock:
                    accepted = chance.random() > 0.1
                    record.append(
                        {
                            "kind": "webhook",
                            "who": self.path.strip("/"),
                            "headers": {name.lower(): value for name, value in self.headers.items()},
                            "raw": raw.decode(),
                            "accepted": accepted,
                        }
                    )
                self.send_response(200 if accepted else 500)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


# What chaos does to calls and webhooks while the traffic runs. A caller repeats a call that got no answer, or a retryable one.
CHAOS = {
    "error": "5%",
    "dropped_response": "5%",
    "reset": "5%",
    "slow": {"share": "5%", "by": "5ms"},
    "duplicate": "10%",
    "reorder": "10%",
    "late": {"share": "10%", "by": "10m"},
}
NO_ANSWER = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


class Program:
    """The sandbox as a process of its own, which can be killed at any moment and continues with its file."""

    def __init__(self, command, chance):
        self.command, self.chance, self.kills, self.process = shlex.split(command), chance, 0, None

    def start(self, base):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{base}/_sandbox/health", timeout=10).close()
                return
            except NO_ANSWER:
                assert self.process.poll() is None, "the sandbox does not start"
                time.sleep(0.05)
        raise AssertionError("the sandbox is not ready")

    def kill_soon(self):
        """Returns a function that waits for the kill, and starts the sandbox again if the call has not done so."""
        victim = self.process
        timer = threading.Timer(self.chance.random() * 0.008, victim.kill)
        timer.start()
        self.kills += 1

        def finish(base):
            timer.join()
            victim.wait()
            self.revive(base)

        return finish

    def revive(self, base):
        if self.process.poll() is not None:
            self.start(base)


class Traffic:
    def __init__(self, base, seed, has_chaos=False, command=None):
        self.base, self.chance = base, random.Random(seed)
        self.seed, self.has_chaos, self.repeated = seed, has_chaos, 0
        self.program = None if command is None else Program(command, random.Random(seed + 2))
        self.can_lose_answers = has_chaos or self.program is not None
        self.record, self.tokens, self.count = [], {}, 0
        self.credentials = {}
        self.receiver = Receiver(self.record, random.Random(seed + 1))

    def send(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.loads(response.read(), parse_float=str)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read(), parse_float=str)

    def insist(self, attempt):
        """Repeats a call until it is answered, as a caller must: `attempt` signs it anew each time."""
        while True:
            try:
                status, answer = attempt()
            except NO_ANSWER:
                assert self.can_lose_answers, "a call got no answer"
                if self.program is not None:
                    time.sleep(0.01)
                    self.program.revive(self.base)
            else:
                is_retryable = self.can_lose_answers and status in (502, 503)
                if not is_retryable:
                    return status, answer
            self.repeated += 1

    def control(self, method, path, body=None):
        status, answer = self.send(method, f"/_sandbox{path}", body)
        assert status < 500, (path, status, answer)
        return status, answer

    def headers(self, who, body, is_signed):
        credential = self.credentials[who]
        if who not in self.tokens:
            pair = f"{credential['client_id']}:{credential['client_secret']}".encode()
            basic = {"Authorization": "Basic " + base64.b64encode(pair).decode()}
            status, answer = self.insist(lambda: self.send("POST", "/v2/oauth/token", {"grant_type": "client_credentials"}, basic))
            assert status == 200, answer
            self.tokens[who] = answer["access_token"]
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        if is_signed:
            stamp, nonce = str(int(time.time())), str(uuid.uuid4())
            text = f"{stamp}.{nonce}.{json.dumps(body)}".encode()
            signature = hmac.new(credential["signing_key"].encode(), text, hashlib.sha256).hexdigest()
            headers |= {"X-Timestamp": stamp, "X-Nonce": nonce, "X-Signature": signature}
        return headers

    def call(self, kind, who, method, path, body=None, is_signed=False):
        status, answer = self.insist(lambda: self.send(method, path, body, self.headers(who, body, is_signed)))
        self.record.append({"kind": kind, "who": who, "body": body, "status": status, "answer": answer})
        return status, answer

    def create(self):
        """Makes one call that moves money, and sometimes repeats it, or repeats its `external_id` with another amount."""
        chance, who = self.chance, self.chance.choice(USERS)
        self.count += 1
        amount = chance.choice([chance.randrange(1, 50_000), chance.randrange(1, 300), 999_999]) / 100
        body = {"amount": amount, "currency": chance.choice(["BRL", "BRL", "USDT"]), "external_id": f"x{self.count}"}
        kind = chance.choice(["cashin", "cashin", "cashin", "cashout", "transfer", "conversion"])
        path, is_signed = f"/v2/transactions/{kind}", kind != "cashin"
        if kind == "cashin" and body["currency"] == "USDT":
            body["chain"] = "tron"
        if kind == "cashout":
            body |= {"currency": "BRL", "key": "payee@example.com", "key_type": "email"}
        if kind == "transfer":
            path = "/v2/internal_transfers/payment"
            body["username"] = USERS[1 - USERS.index(who)]
        if kind == "conversion":
            path = "/v2/conversions/new"
            base = body.pop("currency")
            body |= {"base_currency": base, "destination_currency": "USDT" if base == "BRL" else "BRL"}
        finish = self.program.kill_soon() if self.program is not None and chance.random() < 0.1 else None
        status, _ = self.call(kind, who, "POST", path, body, is_signed)
        if finish is not None:
            finish(self.base)
        if status < 300 and chance.random() < 0.15:
            self.call(kind, who, "POST", path, body, is_signed)
        if status < 300 and chance.random() < 0.1:
            self.call(kind, who, "POST", path, body | {"amount": round(amount + 1, 2)}, is_signed)

    def act(self):
        body = {"action": self.chance.choice(ACTIONS)}
        status, answer = self.control("POST", "/trigger", body)
        self.record.append({"kind": "action", "body": body, "status": status, "answer": answer})

    def advance(self, by):
        status, answer = self.control("POST", "/clock/advance", {"by": by})
        assert status == 200, answer
        self.tokens.clear()
        self.record.append({"kind": "advance", "answer": answer})

    def look(self):
        """Reads balances, the list and the statement of each account."""
        for who in USERS:
            self.call("balance", who, "GET", "/v2/account/balance")
        for who in USERS:
            page = 1
            while page is not None:
                _, answer = self.call("list", who, "POST", "/v2/account/transactions/list", {"page": page, "page_size": 100})
                page = page + 1 if page < answer["data"]["pagination"]["total_pages"] else None
            _, statement = self.control("GET", f"/accounts/{who}/statement")
            self.record.append({"kind": "statement", "who": who, "answer": statement})

    def run(self, operations):
        if self.program is not None:
            self.program.start(self.base)
        try:
            return self.record_of(operations)
        finally:
            if self.program is not None:
                self.program.process.kill()
                self.program.process.wait()

    def record_of(self, operations):
        _, accounts = self.control("GET", "/accounts")
        for account in accounts["data"]:
            credential = account["credentials"][0]
            self.credentials[account["username"]] = credential
            self.control("PATCH", f"/credentials/{credential['client_id']}", {"postback_url": f"{self.receiver.url}/{account['username']}"})
        _, clock = self.control("GET", "/clock")
        secrets = {who: self.credentials[who]["webhook_secret"] for who in USERS}
        self.record.append({"kind": "begin", "now": clock["now"], "secrets": secrets, "may_repeat": self.can_lose_answers})
        if self.has_chaos:
            self.control("PUT", "/chaos", {"seed": str(self.seed), **CHAOS})
        for who in USERS:
            self.call("balance", who, "GET", "/v2/account/balance")
            self.call("fees", who, "GET", "/v2/account/fees")
            self.call("limits", who, "GET", "/v2/account/limits")
        for base, target in (("BRL", "USDT"), ("USDT", "BRL")):
            quote = {"amount": 100, "base_currency": base, "destination_currency": target}
            self.call("quote", "merchant", "POST", "/v2/conversions/rate", quote)
        for number in range(operations):
            dice = self.chance.random()
            if dice < 0.5:
                self.create()
            elif dice < 0.9:
                self.act()
            else:
                self.advance(self.chance.choice(ADVANCES))
            if number % 50 == 49:
                for who in USERS:
                    self.call("balance", who, "GET", "/v2/account/balance")
        self.advance("9d")
        self.advance("1h")
        self.look()
        with self.receiver.lock:
            return list(self.record)
