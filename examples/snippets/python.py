# --- amounts
amount = Decimal(data['amount'])  # from decimal import Decimal; never float(…)

# --- answer
store(event)  # durable and quick
wake_worker()  # processing continues after the response
return '', 200

# --- dedupe
with connection:  # one transaction
    added = connection.execute('insert or ignore into events (id, body) values (?, ?)', (event_id, body))
    if added.rowcount == 1:
        credit(connection, event)  # the effect, in the same transaction
return '', 200  # also for a duplicate

# --- durable
try:
    with connection:  # the id and its effect are stored together, or not at all
        accept_once(connection, event_id, event)
except Exception:
    return '', 500  # the platform sends the event again
return '', 200

# --- order
RANK = {'pending': 0, 'expired': 1, 'confirmed': 2, 'refunded': 3}
if RANK[status] > RANK[charge.status]:
    charge.status = status  # a late event changes nothing

# --- production
if PRODUCTION and request.headers.get('X-Sandbox') == '1':
    return '', 401

# --- timestamp
timestamp = request.headers.get('X-Webhook-Timestamp', '')
if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
    return '', 401

# --- tolerate
handle = HANDLERS.get(event['event'])
if handle is not None:
    handle(event['data'])  # unknown events are also accepted
return '', 200

# --- verify
body = request.get_data()  # the raw bytes
received = request.headers.get('X-Webhook-Signature', '')
expected = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
if not hmac.compare_digest(expected.encode(), received.encode()):
    return '', 401
event = json.loads(body)

# --- read
transaction_id, status = data['transaction_id'], data['status']  # not Transaction(**data)

# --- reconcile
data = call('/v2/account/transactions/list', {'page': 1, 'page_size': 100, 'from_date': yesterday})
for item in data['items']:
    if item['status'] != status_of(item['transaction_id']):
        catch_up(item)

# --- repeat
body = {**payment, 'external_id': payment_id}  # stored before the first attempt
for attempt in range(5):
    status, answer = self.send(body)  # None: the result is unknown
    if status is not None and not is_retryable(answer):
        return answer
    time.sleep(0.2 * 2 ** attempt * (1 + random.random() / 4))
raise NoResult(payment_id)

# --- sent
body = json.dumps({'amount': float(Decimal(cents) / 100)})  # whole cents until the last moment

# --- sign
body = json.dumps(payment).encode()  # serialize once, so that the signed string is the sent string
timestamp, nonce = str(int(time.time())), str(uuid.uuid4())  # new values for every attempt
signature = hmac.new(SIGNING_KEY, f'{timestamp}.{nonce}.'.encode() + body, hashlib.sha256).hexdigest()

# --- token
def call(self, path, body):
    self.token = self.token or self.fetch_token()  # used for all calls
    status, answer = self.send(path, body)
    if status == 401 and answer['error']['code'] == 'TOKEN_EXPIRED':
        self.token = self.fetch_token()
        status, answer = self.send(path, body)  # repeat only once
    return status, answer

# --- wait
if status in (429, 403):
    time.sleep(float(headers.get('Retry-After', 1)))

# --- withdrawal
data = call('/v2/transactions/cashout', body)  # 202: the withdrawal is pending
store(body['external_id'], data['transaction_id'], 'pending')
HANDLERS['cashout.confirmed'] = lambda data: settle(data['transaction_id'])
HANDLERS['cashout.failed'] = lambda data: give_back(data['transaction_id'], data['refunded_amount'])
HANDLERS['cashout.refunded'] = lambda data: give_back(data['original_transaction_id'], data['amount_refunded'])
