/** Example code for API clients. */
import type { Example } from '../languages.js'

export const token: Example = {
  node: `let token
async function call(path, body) {
  token ??= await fetchToken() // used for all calls
  const answer = await send(path, body, token)
  if (answer.status !== 401 || (await answer.clone().json()).error.code !== 'TOKEN_EXPIRED') return answer
  token = await fetchToken()
  return send(path, body, token) // repeat only once
}`,
  python: `def call(self, path, body):
    self.token = self.token or self.fetch_token()  # used for all calls
    status, answer = self.send(path, body)
    if status == 401 and answer['error']['code'] == 'TOKEN_EXPIRED':
        self.token = self.fetch_token()
        status, answer = self.send(path, body)  # repeat only once
    return status, answer`,
  php: `$this->token ??= $this->fetchToken(); // used for all calls
[$status, $answer] = $this->send($path, $body);
if ($status === 401 && $answer['error']['code'] === 'TOKEN_EXPIRED') {
    $this->token = $this->fetchToken();
    [$status, $answer] = $this->send($path, $body); // repeat only once
}`,
}

export const sign: Example = {
  node: `const body = JSON.stringify(payment) // serialize once, so that the signed string is the sent string
const timestamp = String(Math.floor(Date.now() / 1000))
const nonce = randomUUID() // a new nonce for every attempt
const signature = createHmac('sha256', SIGNING_KEY).update(\`\${timestamp}.\${nonce}.\${body}\`).digest('hex')`,
  python: `body = json.dumps(payment).encode()  # serialize once, so that the signed string is the sent string
timestamp, nonce = str(int(time.time())), str(uuid.uuid4())  # new values for every attempt
signature = hmac.new(SIGNING_KEY, f'{timestamp}.{nonce}.'.encode() + body, hashlib.sha256).hexdigest()`,
  php: `$body = json_encode($payment); // serialize once, so that the signed string is the sent string
$timestamp = (string) time();
$nonce = uuid4(); // a new nonce for every attempt
$signature = hash_hmac('sha256', "$timestamp.$nonce.$body", $signingKey);`,
}

export const repeat: Example = {
  node: `const body = { ...payment, external_id: payment.id } // stored before the first attempt
for (let attempt = 0; ; attempt++) {
  const answer = await send(body).catch(() => null) // null: the result is unknown
  if (answer !== null && !isRetryable(answer)) return answer
  if (attempt === 4) throw new NoResult(payment.id)
  await pause(200 * 2 ** attempt * (1 + Math.random() / 4))
}`,
  python: `body = {**payment, 'external_id': payment_id}  # stored before the first attempt
for attempt in range(5):
    status, answer = self.send(body)  # None: the result is unknown
    if status is not None and not is_retryable(answer):
        return answer
    time.sleep(0.2 * 2 ** attempt * (1 + random.random() / 4))
raise NoResult(payment_id)`,
  php: `$body = [...$payment, 'external_id' => $id]; // stored before the first attempt
for ($attempt = 0; $attempt < 5; $attempt++) {
    $answer = $this->send($body); // null: the result is unknown
    if ($answer !== null && !isRetryable($answer)) {
        return $answer;
    }
    usleep((int) (200000 * 2 ** $attempt * (1 + lcg_value() / 4)));
}
throw new NoResult($id);`,
}

export const wait: Example = {
  node: `const seconds = Number(answer.headers.get('retry-after') ?? 1)
if (answer.status === 429 || answer.status === 403) await pause(seconds * 1000)`,
  python: `if status in (429, 403):
    time.sleep(float(headers.get('Retry-After', 1)))`,
  php: `if ($status === 429 || $status === 403) {
    sleep((int) ($headers['retry-after'] ?? 1));
}`,
}

export const sent: Example = {
  node: `const amount = Number(\`\${cents / 100n}.\${String(cents % 100n).padStart(2, '0')}\`) // cents is a bigint; never 0.1 + 0.2`,
  python: `body = json.dumps({'amount': float(Decimal(cents) / 100)})  # whole cents until the last moment`,
  php: `$body = ['amount' => round($cents / 100, 2)]; // whole cents until the last moment; requires serialize_precision = -1 in php.ini`,
}

export const withdrawal: Example = {
  node: `const { data } = await call('/v2/transactions/cashout', body) // 202: the withdrawal is pending
await store(body.external_id, data.transaction_id, 'pending')
handlers['cashout.confirmed'] = ({ transaction_id }) => settle(transaction_id)
handlers['cashout.failed'] = ({ transaction_id, refunded_amount }) => giveBack(transaction_id, refunded_amount)
handlers['cashout.refunded'] = ({ original_transaction_id, amount_refunded }) => giveBack(original_transaction_id, amount_refunded)`,
  python: `data = call('/v2/transactions/cashout', body)  # 202: the withdrawal is pending
store(body['external_id'], data['transaction_id'], 'pending')
HANDLERS['cashout.confirmed'] = lambda data: settle(data['transaction_id'])
HANDLERS['cashout.failed'] = lambda data: give_back(data['transaction_id'], data['refunded_amount'])
HANDLERS['cashout.refunded'] = lambda data: give_back(data['original_transaction_id'], data['amount_refunded'])`,
  php: `$data = $this->call('/v2/transactions/cashout', $body); // 202: the withdrawal is pending
store($body['external_id'], $data['transaction_id'], 'pending');
$handlers['cashout.confirmed'] = fn ($data) => settle($data['transaction_id']);
$handlers['cashout.failed'] = fn ($data) => giveBack($data['transaction_id'], $data['refunded_amount']);`,
}

export const reconcile: Example = {
  node: `const { data } = await call('/v2/account/transactions/list', { page: 1, page_size: 100, from_date: yesterday })
for (const item of data.items) if (item.status !== (await statusOf(item.transaction_id))) await catchUp(item)`,
  python: `data = call('/v2/account/transactions/list', {'page': 1, 'page_size': 100, 'from_date': yesterday})
for item in data['items']:
    if item['status'] != status_of(item['transaction_id']):
        catch_up(item)`,
  php: `$data = $this->call('/v2/account/transactions/list', ['page' => 1, 'page_size' => 100, 'from_date' => $yesterday]);
foreach ($data['items'] as $item) {
    if ($item['status'] !== statusOf($item['transaction_id'])) {
        catchUp($item);
    }
}`,
}

export const read: Example = {
  node: `const { transaction_id, status } = answer.data // ignore other fields`,
  python: `transaction_id, status = data['transaction_id'], data['status']  # not Transaction(**data)`,
  php: `['transaction_id' => $id, 'status' => $status] = $answer['data']; // ignore other fields`,
}
