"""An API client that passes every requirement. It uses only the standard library.

    payments-sandbox certify client --state-command 'python3 client.py status' -- python3 client.py
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from http.client import HTTPException
from pathlib import Path

ATTEMPTS = 5
PAUSE_SECONDS = 0.2


class NoResult(Exception):
    """The result of the call is unknown: look it up later."""


class Rejected(Exception):
    """The API rejected the call; the message is the error code."""


class Client:
    def __init__(self, url, client_id, client_secret, signing_key):
        self.url = url
        self.basic = base64.b64encode(f'{client_id}:{client_secret}'.encode()).decode()
        self.signing_key = signing_key.encode()
        self.token = None

    def send(self, method, path, headers, body=None):
        """Returns None if the connection broke: the result of the call is unknown."""
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.headers, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, error.headers, json.load(error)
        except (OSError, HTTPException):
            return None

    def persist(self, attempt):
        """Repeats the call until it succeeds or fails for good.

        Waits for the time in Retry-After if it is given; otherwise doubles the pause after each attempt.
        """
        for count in range(ATTEMPTS):
            result = attempt()
            if result is not None:
                status, headers, answer = result
                if status < 400:
                    return answer
                if not answer['error']['retryable']:
                    raise Rejected(answer['error']['code'])
            if count < ATTEMPTS - 1:
                seconds = result and headers.get('Retry-After')
                time.sleep(float(seconds) if seconds else PAUSE_SECONDS * 2 ** count)
        raise NoResult()

    def fetch_token(self):
        headers = {'Authorization': f'Basic {self.basic}', 'Content-Type': 'application/json'}
        body = b'{"grant_type":"client_credentials"}'
        return self.persist(lambda: self.send('POST', '/v2/oauth/token', headers, body))['access_token']

    def call(self, method, path, body=None, content_type='application/json', signed=False):
        def once():
            self.token = self.token or self.fetch_token()
            headers = {'Authorization': f'Bearer {self.token}', 'Content-Type': content_type}
            return self.send(method, path, {**headers, **(self.signature(body) if signed else {})}, body)

        def attempt():
            result = once()
            if result is None or result[2].get('error', {}).get('code') != 'TOKEN_EXPIRED':
                return result
            self.token = None
            return once()

        return self.persist(attempt)['data']

    def signature(self, body):
        """Returns a new nonce, timestamp and signature for every attempt."""
        timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
        signed = hmac.new(self.signing_key, f'{timestamp}.{nonce}.'.encode() + body, hashlib.sha256)
        return {'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signed.hexdigest()}

    def charge(self, external_id, cents):
        body = {'amount': cents / 100, 'currency': 'BRL', 'external_id': external_id}
        return self.call('POST', '/v2/transactions/cashin', json.dumps(body).encode())

    def withdraw(self, external_id, cents, key):
        body = {'amount': cents / 100, 'currency': 'BRL', 'key': key, 'external_id': external_id}
        return self.call('POST', '/v2/transactions/cashout', json.dumps(body).encode(), signed=True)

    def list(self):
        return self.call('POST', '/v2/account/transactions/list', b'{"page": 1, "page_size": 100}')['items']

    def disputes(self):
        return self.call('GET', '/v2/account/infractions')['items']

    def reply(self, infraction_id, message):
        boundary = uuid.uuid4().hex
        parts = ''.join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in (('id', infraction_id), ('message', message))
        )
        body = f'{parts}--{boundary}--\r\n'.encode()
        return self.call('POST', '/v2/account/infractions/reply', body, f'multipart/form-data; boundary={boundary}')


class Store:
    """Holds the state of each transaction."""

    def __init__(self, file):
        self.file = Path(file)
        self.known = json.loads(self.file.read_text()) if self.file.exists() else {}

    def set(self, transaction):
        self.known[transaction['transaction_id']] = transaction['status']
        self.file.write_text(json.dumps(self.known))


def run_shop(client, store):
    """Makes the calls of a shop on one day."""

    def tell(make, *arguments):
        try:
            store.set(make(*arguments))
        except (Rejected, NoResult) as error:
            print(repr(error))

    for count in range(1, 13):
        if count % 4 == 1:
            tell(client.withdraw, f'payout-{count}', count * 100 + 15, 'ana@example.com')  # status 202: the withdrawal is pending
        tell(client.charge, f'order-{count}', count * 300 + 99)
    for _ in range(50):  # reads the list until nothing is pending
        time.sleep(0.2)
        items = client.list()
        for item in items:
            store.set(item)
        if all(item['status'] != 'pending' for item in items):
            break
    for dispute in client.disputes():
        if dispute['status'] == 'open':
            client.reply(dispute['infraction_id'], 'The order was delivered; see the attached receipt.')


if __name__ == '__main__':
    store = Store(os.environ.get('STORE', 'transactions.json'))
    if sys.argv[1:2] == ['status']:
        print(json.dumps({'status': store.known.get(sys.argv[2])}))
    else:
        names = ('URL', 'CLIENT_ID', 'CLIENT_SECRET', 'SIGNING_KEY')
        run_shop(Client(*(os.environ[f'PAYMENTS_SANDBOX_{name}'] for name in names)), store)
