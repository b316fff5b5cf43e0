/** Example code for webhook receivers. */
import type { Example } from '../languages.js'

export const verify: Example = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto'
…
const chunks = []
try {
  for await (const chunk of request) chunks.push(chunk)
} catch {
  return // The connection broke. The event is sent again.
}
const body = Buffer.concat(chunks) // the raw bytes
const received = request.headers['x-webhook-signature'] ?? ''
const expected = createHmac('sha256', WEBHOOK_SECRET).update(body).digest()
if (!/^[0-9a-f]{64}$/.test(received) || !timingSafeEqual(expected, Buffer.from(received, 'hex'))) return response.writeHead(401).end()
const event = JSON.parse(body)`,
  python: `body = request.get_data()  # the raw bytes
received = request.headers.get('X-Webhook-Signature', '')
expected = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
if not hmac.compare_digest(expected.encode(), received.encode()):
    return '', 401
event = json.loads(body)`,
  php: `$body = file_get_contents('php://input'); // the raw bytes
$expected = hash_hmac('sha256', $body, $webhookSecret);
if (!hash_equals($expected, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);`,
}

export const timestamp: Example = {
  node: `const timestamp = request.headers['x-webhook-timestamp'] ?? ''
const isFresh = /^\\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300
if (!isFresh) return response.writeHead(401).end()`,
  python: `timestamp = request.headers.get('X-Webhook-Timestamp', '')
if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
    return '', 401`,
  php: `$timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '';
if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
    http_response_code(401);
    exit;
}`,
}

export const dedupe: Example = {
  node: `// events (id text primary key, body text, done_at timestamp)
await database.transaction(async (sql) => {
  const added = await sql('insert into events (id, body) values ($1, $2) on conflict do nothing', [id, body])
  if (added.rowCount === 1) await credit(sql, event) // the effect, in the same transaction
})
response.writeHead(200).end() // also for a duplicate`,
  python: `with connection:  # one transaction
    added = connection.execute('insert or ignore into events (id, body) values (?, ?)', (event_id, body))
    if added.rowcount == 1:
        credit(connection, event)  # the effect, in the same transaction
return '', 200  # also for a duplicate`,
  php: `$pdo->beginTransaction();
$insert = $pdo->prepare('insert into events (id, body) values (?, ?) on conflict do nothing');
$insert->execute([$id, $body]);
if ($insert->rowCount() === 1) {
    credit($pdo, $event); // the effect, in the same transaction
}
$pdo->commit();
http_response_code(200); // also for a duplicate`,
}

export const answer: Example = {
  node: `await store(event) // durable and quick
response.writeHead(200).end()
queue.wake() // processing continues after the response`,
  python: `store(event)  # durable and quick
wake_worker()  # processing continues after the response
return '', 200`,
  php: `store($event); // durable and quick
http_response_code(200);
fastcgi_finish_request(); // processing continues after the response
work();`,
}

export const durable: Example = {
  node: `try {
  await database.transaction((sql) => acceptOnce(sql, id, event)) // the id and its effect are stored together, or not at all
  response.writeHead(200).end()
} catch {
  response.writeHead(500).end() // the platform sends the event again
}`,
  python: `try:
    with connection:  # the id and its effect are stored together, or not at all
        accept_once(connection, event_id, event)
except Exception:
    return '', 500  # the platform sends the event again
return '', 200`,
  php: `try {
    $pdo->beginTransaction();
    acceptOnce($pdo, $id, $event); // the id and its effect are stored together, or not at all
    $pdo->commit();
    http_response_code(200);
} catch (Throwable $error) {
    $pdo->rollBack();
    http_response_code(500); // the platform sends the event again
}`,
}

export const tolerate: Example = {
  node: `const handle = handlers[event.event]
if (handle !== undefined) await handle(event.data) // unknown events are also accepted
response.writeHead(200).end()`,
  python: `handle = HANDLERS.get(event['event'])
if handle is not None:
    handle(event['data'])  # unknown events are also accepted
return '', 200`,
  php: `$handle = $handlers[$event['event']] ?? null;
if ($handle !== null) {
    $handle($event['data']); // unknown events are also accepted
}
http_response_code(200);`,
}

export const amounts: Example = {
  node: `const [whole, fraction = ''] = data.amount.split('.')
const cents = BigInt(whole + fraction.padEnd(2, '0'))`,
  python: `amount = Decimal(data['amount'])  # from decimal import Decimal; never float(…)`,
  php: `[$whole, $fraction] = explode('.', $data['amount'] . '.');
$cents = (int) ($whole . str_pad($fraction, 2, '0'));`,
}

export const order: Example = {
  node: `const rank = { pending: 0, expired: 1, confirmed: 2, refunded: 3 }
if (rank[next] > rank[charge.status]) charge.status = next // a late event changes nothing
const credited = charge.status === 'confirmed' ? charge.amount : 0`,
  python: `RANK = {'pending': 0, 'expired': 1, 'confirmed': 2, 'refunded': 3}
if RANK[status] > RANK[charge.status]:
    charge.status = status  # a late event changes nothing`,
  php: `$rank = ['pending' => 0, 'expired' => 1, 'confirmed' => 2, 'refunded' => 3];
if ($rank[$status] > $rank[$charge->status]) {
    $charge->status = $status; // a late event changes nothing
}`,
}

export const production: Example = {
  node: `if (process.env.NODE_ENV === 'production' && request.headers['x-sandbox'] === '1') return response.writeHead(401).end()`,
  python: `if PRODUCTION and request.headers.get('X-Sandbox') == '1':
    return '', 401`,
  php: `if ($isProduction && ($_SERVER['HTTP_X_SANDBOX'] ?? '') === '1') {
    http_response_code(401);
    exit;
}`,
}
