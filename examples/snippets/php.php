<?php
// --- amounts
[$whole, $fraction] = explode('.', $data['amount'] . '.');
$cents = (int) ($whole . str_pad($fraction, 2, '0'));

// --- answer
store($event); // durable and quick
http_response_code(200);
fastcgi_finish_request(); // processing continues after the response
work();

// --- dedupe
$pdo->beginTransaction();
$insert = $pdo->prepare('insert into events (id, body) values (?, ?) on conflict do nothing');
$insert->execute([$id, $body]);
if ($insert->rowCount() === 1) {
    credit($pdo, $event); // the effect, in the same transaction
}
$pdo->commit();
http_response_code(200); // also for a duplicate

// --- durable
try {
    $pdo->beginTransaction();
    acceptOnce($pdo, $id, $event); // the id and its effect are stored together, or not at all
    $pdo->commit();
    http_response_code(200);
} catch (Throwable $error) {
    $pdo->rollBack();
    http_response_code(500); // the platform sends the event again
}

// --- order
$rank = ['pending' => 0, 'expired' => 1, 'confirmed' => 2, 'refunded' => 3];
if ($rank[$status] > $rank[$charge->status]) {
    $charge->status = $status; // a late event changes nothing
}

// --- production
if ($isProduction && ($_SERVER['HTTP_X_SANDBOX'] ?? '') === '1') {
    http_response_code(401);
    exit;
}

// --- timestamp
$timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '';
if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
    http_response_code(401);
    exit;
}

// --- tolerate
$handle = $handlers[$event['event']] ?? null;
if ($handle !== null) {
    $handle($event['data']); // unknown events are also accepted
}
http_response_code(200);

// --- verify
$body = file_get_contents('php://input'); // the raw bytes
$expected = hash_hmac('sha256', $body, $webhookSecret);
if (!hash_equals($expected, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '')) {
    http_response_code(401);
    exit;
}
$event = json_decode($body, true);

// --- read
['transaction_id' => $id, 'status' => $status] = $answer['data']; // ignore other fields

// --- reconcile
$data = $this->call('/v2/account/transactions/list', ['page' => 1, 'page_size' => 100, 'from_date' => $yesterday]);
foreach ($data['items'] as $item) {
    if ($item['status'] !== statusOf($item['transaction_id'])) {
        catchUp($item);
    }
}

// --- repeat
$body = [...$payment, 'external_id' => $id]; // stored before the first attempt
for ($attempt = 0; $attempt < 5; $attempt++) {
    $answer = $this->send($body); // null: the result is unknown
    if ($answer !== null && !isRetryable($answer)) {
        return $answer;
    }
    usleep((int) (200000 * 2 ** $attempt * (1 + lcg_value() / 4)));
}
throw new NoResult($id);

// --- sent
$body = ['amount' => round($cents / 100, 2)]; // whole cents until the last moment; requires serialize_precision = -1 in php.ini

// --- sign
$body = json_encode($payment); // serialize once, so that the signed string is the sent string
$timestamp = (string) time();
$nonce = uuid4(); // a new nonce for every attempt
$signature = hash_hmac('sha256', "$timestamp.$nonce.$body", $signingKey);

// --- token
$this->token ??= $this->fetchToken(); // used for all calls
[$status, $answer] = $this->send($path, $body);
if ($status === 401 && $answer['error']['code'] === 'TOKEN_EXPIRED') {
    $this->token = $this->fetchToken();
    [$status, $answer] = $this->send($path, $body); // repeat only once
}

// --- wait
if ($status === 429 || $status === 403) {
    sleep((int) ($headers['retry-after'] ?? 1));
}

// --- withdrawal
$data = $this->call('/v2/transactions/cashout', $body); // 202: the withdrawal is pending
store($body['external_id'], $data['transaction_id'], 'pending');
$handlers['cashout.confirmed'] = fn ($data) => settle($data['transaction_id']);
$handlers['cashout.failed'] = fn ($data) => giveBack($data['transaction_id'], $data['refunded_amount']);
