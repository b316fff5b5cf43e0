"""A webhook receiver that passes every requirement. It uses only the standard library.

    PORT=3000 WEBHOOK_SECRET=… python3 receiver.py
    payments-sandbox certify receiver --url http://localhost:3000/webhooks --state-url http://localhost:3000/state
"""
import hashlib
import hmac
import json
import os
import sqlite3
import time
from contextlib import closing
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

SECRET = os.environ['WEBHOOK_SECRET'].encode()
DATABASE = os.environ.get('EVENTS_FILE', 'events.sqlite')
PRODUCTION = os.environ.get('MODE') == 'production'


def connect():
    return closing(sqlite3.connect(DATABASE, timeout=10))


def is_signed(received, body):
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), received.encode())


def is_fresh(timestamp):
    return timestamp.isascii() and timestamp.isdigit() and abs(time.time() - int(timestamp)) <= 300


def receive(headers, body):
    if not is_signed(headers.get('X-Webhook-Signature', ''), body):
        return 401
    if not is_fresh(headers.get('X-Webhook-Timestamp', '')):
        return 401
    if PRODUCTION and headers.get('X-Sandbox') == '1':
        return 401
    event = json.loads(body)
    with connect() as connection, connection:  # the id and its effect are stored together, or not at all
        added = connection.execute('insert or ignore into events values (?)', (headers['X-Webhook-Id'],))
        if added.rowcount == 1:
            apply(connection, event['event'], event['data'])
    return 200


def apply(connection, name, data):
    """No change depends on an earlier event, so events may arrive in any order."""
    changes = {
        'cashin.confirmed': lambda: {'confirmed': data['amount']},
        'cashin.refunded': lambda: {'refunded': data['amount_refunded']},
        'cashin.expired': lambda: {'expired': '1'},
        'chargeback.opened': lambda: {'disputed': data['amount']},
        'chargeback.won': lambda: {'released': data['amount']},
        'chargeback.canceled': lambda: {'released': data['amount']},
    }
    if name not in changes:
        return
    charge = data.get('original_transaction_id') or data['transaction_id']
    for what, value in changes[name]().items():
        connection.execute('insert into facts values (?, ?, ?)', (charge, what, value))


def state_of(charge):
    with connect() as connection:
        facts = connection.execute('select what, value from facts where charge = ?', (charge,)).fetchall()
    known = {what for what, _ in facts}
    total = lambda what: sum((Decimal(value) for key, value in facts if key == what), Decimal('0.00'))
    # A lost dispute stays blocked: its refund is about the same amount.
    taken = max(total('refunded'), total('disputed') - total('released'))
    credited = max(total('confirmed') - taken, Decimal('0.00'))
    status = next((name for name in ('refunded', 'confirmed', 'expired') if name in known), None)
    return {'status': status, 'credited': str(credited)}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        self.answer(receive(self.headers, body) if self.path == '/webhooks' else 404)

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path != '/state':
            return self.answer(404)
        charge = parse_qs(url.query).get('transaction_id', [''])[0]
        self.answer(200, json.dumps(state_of(charge)))

    def answer(self, status, text=''):
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # the client closed the connection


if __name__ == '__main__':
    with connect() as connection, connection:
        connection.execute('pragma journal_mode = wal')
        connection.execute('create table if not exists events (id text primary key)')
        connection.execute('create table if not exists facts (charge text, what text, value text)')
        connection.execute('create index if not exists of_charge on facts (charge)')
    server = Server(('127.0.0.1', int(os.environ.get('PORT', '3000'))), Receiver)
    print(f'http://127.0.0.1:{server.server_port}', flush=True)
    server.serve_forever()
