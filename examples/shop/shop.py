"""
A shop that is tested under chaos. It uses only the standard library.

    payments-sandbox certify client --chaos rough --books-command 'python3 shop.py ledger' -- python3 shop.py day

`day` sells and pays suppliers for a day of the sandbox's clock, and plays the customers. `ledger` prints the books.
`compare` reads a statement, as CSV or JSON, and compares its sum with the books. `serve` only receives webhooks.
SHOP_HOURS shortens the day. SHOP_BUG makes mistakes: `new-id`, `twice`, `order`, `no-retry`, or several of them.
"""
import base64
import csv
import hashlib
import hmac
import http.client
import json
import os
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

URL = os.environ.get('PAYMENTS_SANDBOX_URL', '')
BUGS = os.environ.get('SHOP_BUG', '').split(',')
LEDGER = os.environ.get('SHOP_LEDGER', 'shop-ledger.csv')
ATTEMPTS = 1 if 'no-retry' in BUGS else 6
FIRST_PAUSE = 0.04


def secret(name):
    return os.environ[f'PAYMENTS_SANDBOX_{name}']


# The client of the API


def send(path, headers, body):
    """Returns None if the connection broke: nobody knows whether the call was done."""
    request = Request(URL + path, body.encode(), {'Content-Type': 'application/json', **headers})
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, None, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, error.headers.get('Retry-After'), json.load(error)
    except (URLError, OSError, http.client.HTTPException):
        return None


def persist(attempt):
    """Tries again after a broken connection and a retryable error."""
    for count in range(1, ATTEMPTS + 1):
        answer = attempt(count)
        if answer is not None and (answer[0] < 400 or not answer[2]['error']['retryable']):
            return answer
        if count < ATTEMPTS:
            time.sleep(float(answer[1]) if answer and answer[1] else FIRST_PAUSE * 2**count)
    raise RuntimeError('given up')


class Tokens:
    """One token for all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.token = None

    def get(self, expired=None):
        with self.lock:
            if self.token in (None, expired):
                basic = base64.b64encode(f'{secret("CLIENT_ID")}:{secret("CLIENT_SECRET")}'.encode()).decode()
                body = '{"grant_type":"client_credentials"}'
                status, _, answer = persist(lambda _: send('/v2/oauth/token', {'Authorization': f'Basic {basic}'}, body))
                if status != 200:
                    raise RuntimeError(answer['error']['code'])
                self.token = answer['access_token']
            return self.token


tokens = Tokens()


def headers_for(bearer, body):
    """Every attempt has a new nonce and a new signature."""
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    signed = f'{timestamp}.{nonce}.{body}'.encode()
    signature = hmac.new(secret('SIGNING_KEY').encode(), signed, hashlib.sha256).hexdigest()
    return {
        'Authorization': f'Bearer {bearer}',
        'X-Timestamp': timestamp,
        'X-Nonce': nonce,
        'X-Signature': signature,
    }


def post(path, fields_of):
    """`fields_of` returns the same fields for every attempt, unless the shop is wrong."""

    def attempt(count):
        body = json.dumps(fields_of(count))
        bearer = tokens.get()
        answer = send(path, headers_for(bearer, body), body)
        if answer is None or answer[2].get('error', {}).get('code') != 'TOKEN_EXPIRED':
            return answer
        return send(path, headers_for(tokens.get(expired=bearer), body), body)

    status, _, answer = persist(attempt)
    if status >= 400:
        raise RuntimeError(f'{path}: {answer["error"]["code"]}')
    return answer['data']


# The books

rows = {}
books = threading.RLock()


def book(transaction_id, external_id, kind, amount):
    """An entry is booked once for each transaction and type."""
    with books:
        key = (transaction_id, kind, len(rows) if 'twice' in BUGS else 0)
        rows.setdefault(key, (transaction_id, external_id, kind, 'BRL', f'{amount:.2f}'))


def is_booked(transaction_id, kind):
    return any(row[0] == transaction_id and row[2] == kind for row in rows.values())


def book_paid(data):
    book(data['transaction_id'], data['external_id'], 'charge', Decimal(str(data['amount'])))
    book(data['transaction_id'], data['external_id'], 'charge_fee', -Decimal(str(data['fee'])))


def book_refunded(transaction_id, external_id, amount):
    # The wrong shop forgets a refund whose payment it has not seen yet.
    if 'order' not in BUGS or is_booked(transaction_id, 'charge'):
        book(transaction_id, external_id, 'refund', -Decimal(str(amount)))


def book_returned(data, refunded):
    amount = Decimal(str(data['amount']))
    book(data['transaction_id'], data['external_id'], 'withdrawal_return', amount)
    book(data['transaction_id'], data['external_id'], 'withdrawal_fee_return', refunded - amount)


def state_of(transaction_id):
    """What the shop did with a charge."""
    with books:
        credited = sum(Decimal(row[4]) for row in rows.values() if row[0] == transaction_id and row[2] == 'charge')
        is_paid, is_refunded = is_booked(transaction_id, 'charge'), is_booked(transaction_id, 'refund')
    return {'status': 'refunded' if is_refunded else 'confirmed' if is_paid else None, 'credited': f'{credited:.2f}'}


HANDLERS = {
    'cashin.confirmed': book_paid,
    'cashin.refunded': lambda data: book_refunded(
        data['original_transaction_id'], data['external_id'], data['amount_refunded']
    ),
    'cashout.failed': lambda data: book_returned(data, Decimal(data['refunded_amount'])),
}


class Receiver(BaseHTTPRequestHandler):
    """Receives webhooks."""

    seen = set()

    def do_GET(self):
        return self.answer(200, json.dumps(state_of(self.path.split('=')[1])).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        expected = hmac.new(secret('WEBHOOK_SECRET').encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(self.headers.get('X-Webhook-Signature', ''), expected):
            return self.answer(401)
        with books:
            webhook_id = self.headers['X-Webhook-Id']
            if webhook_id not in self.seen or 'twice' in BUGS:
                self.seen.add(webhook_id)
                event = json.loads(body)
                HANDLERS.get(event['event'], lambda data: None)(event['data'])
        return self.answer(200)

    def answer(self, status, body=b''):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


# The shop


def charge(name, amount):
    return post('/v2/transactions/cashin', lambda _: {'amount': amount, 'currency': 'BRL', 'external_id': name})


def pay_out(name, amount, key):
    def fields(attempt):
        external_id = f'{name}-{attempt}' if 'new-id' in BUGS and attempt > 1 else name
        return {'amount': amount, 'currency': 'BRL', 'key': key, 'key_type': 'cpf', 'external_id': external_id}

    paid = post('/v2/transactions/cashout', fields)
    book(paid['transaction_id'], paid['external_id'], 'withdrawal', -Decimal(str(paid['amount'])))
    book(paid['transaction_id'], paid['external_id'], 'withdrawal_fee', -Decimal(str(paid['fee'])))


def reconcile():
    """Books what no webhook reported, unless the shop trusts webhooks alone. Returns the number of open transactions."""
    still_open, page, pages = 0, 1, 1
    while page <= pages:
        answer = post('/v2/account/transactions/list', lambda _, page=page: {'page': page, 'page_size': 100})
        page, pages = page + 1, answer['pagination']['total_pages']
        for item in answer['items']:
            still_open += item['status'] == 'pending'
            if 'twice' in BUGS or 'order' in BUGS:
                continue
            if item['type'] == 'cashin' and item['status'] != 'pending':
                book_paid(item)
            if item['type'] == 'cashin' and item['status'] == 'refunded':
                book_refunded(item['transaction_id'], item['external_id'], item['amount'])
            if item['type'] == 'cashout' and item['status'] == 'failed':
                book_returned(item, Decimal(str(item['amount'])) + Decimal(str(item['fee'])))
    return still_open


# The customers and the clock: the control API of the sandbox


def control(method, path, fields):
    body = json.dumps(fields).encode()
    request = Request(f'{URL}/_sandbox{path}', body, {'Content-Type': 'application/json'}, method=method)
    with urlopen(request, timeout=60) as answer:
        answer.read()


def sell(number):
    """Every third customer wants the money back."""
    transaction_id = charge(f'order-{number}', 20 + number / 4)['transaction_id']
    control('POST', '/trigger', {'action': 'cashin.pay', 'id': transaction_id})
    if number % 3 == 0:
        control('POST', '/trigger', {'action': 'cashin.refund', 'id': transaction_id})


def supply(hour):
    """Every fourth supplier has given a key that does not exist."""
    pay_out(f'payout-{hour}', 5 + hour / 10, '11111111111' if hour % 4 == 0 else '52998224725')


class Server(ThreadingHTTPServer):
    request_queue_size = 128


def day():
    receiver = Server(('127.0.0.1', 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    address = f'http://127.0.0.1:{receiver.server_port}/webhooks'
    control('PATCH', f'/credentials/{secret("CLIENT_ID")}', {'postback_url': address})
    control('PUT', '/clock', {'mode': 'manual'})
    with ThreadPoolExecutor(3) as workers:
        for hour in range(1, int(os.environ.get('SHOP_HOURS', '24')) + 1):
            work = [workers.submit(sell, number) for number in (2 * hour - 1, 2 * hour)]
            for one in [*work, workers.submit(supply, hour)]:
                one.result()
            control('POST', '/clock/advance', {'by': '1h'})
    still_open = reconcile()
    if still_open > 0:
        raise RuntimeError(f'{still_open} transactions are still open')
    with open(LEDGER, 'w', encoding='utf-8') as file:
        for row in [('transaction_id', 'external_id', 'type', 'currency', 'amount'), *rows.values()]:
            file.write(f'{",".join(row)}\n')
    print(f'{len(rows)} entries in {LEDGER}')


def serve():
    receiver = Server(('127.0.0.1', 0), Receiver)
    print(f'http://127.0.0.1:{receiver.server_port}', flush=True)
    receiver.serve_forever()


def ledger():
    with open(LEDGER, encoding='utf-8') as file:
        return file.read()


def sum_of(text):
    """Sums the amounts, without balances that were set."""
    entries = json.loads(text)['entries'] if text.startswith('{') else csv.DictReader(text.splitlines())
    return sum(Decimal(entry['amount']) for entry in entries if entry['transaction_id'])


def compare():
    difference = sum_of(ledger()) - sum_of(sys.stdin.read())
    print('the books agree' if difference == 0 else f'the books differ by {difference}')


commands = {'day': day, 'serve': serve, 'compare': compare, 'ledger': lambda: sys.stdout.write(ledger())}
commands[sys.argv[1]]()
