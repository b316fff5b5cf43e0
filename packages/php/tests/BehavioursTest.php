<?php

declare(strict_types=1);

namespace PaymentsSandbox\Tests;

use PaymentsSandbox\Action;
use PaymentsSandbox\ApiException;
use PaymentsSandbox\Client;
use PaymentsSandbox\ErrorCode;
use PaymentsSandbox\Event;
use PaymentsSandbox\EventName;
use PaymentsSandbox\InvalidWebhookException;
use PaymentsSandbox\Json;
use PaymentsSandbox\Sandbox;
use PaymentsSandbox\SandboxException;
use PaymentsSandbox\Signature;
use PaymentsSandbox\Type;
use PaymentsSandbox\Upload;
use PaymentsSandbox\UsesSandbox;
use PHPUnit\Framework\TestCase;
use PHPUnit\Framework\TestFailure;

require_once __DIR__ . '/../autoload.php';

/** A test that uses the trait, and shows its workspace to the tests below. */
final class InnerTest extends TestCase
{
    use UsesSandbox;

    /** @var list<string> */
    public static array $urls = [];

    public function testSomething(): void
    {
        self::$urls[] = $this->sandbox->url;
        self::assertSame([], $this->sandbox->control('GET', '/transactions')['data']);
        $this->sandbox->client->cashin(amount: '25.00', currency: 'BRL');
    }
}

/** A test that fails, for the report of its failure. */
final class FailingTest extends TestCase
{
    use UsesSandbox;

    public function testFails(): void
    {
        $this->sandbox->client->cashin(amount: '25.00', currency: 'BRL');
        $this->sandbox->trigger(Action::CashinPay);
        $this->sandbox->client->cashin(amount: '0.50', currency: 'BRL');
    }
}

/** The behaviours of packages/behaviours.md, with their numbers. */
final class BehavioursTest extends TestCase
{
    use UsesSandbox;

    /** Runs another process and returns the URL of its workspace. */
    private static function runOther(string $namedUrl): string
    {
        $autoload = var_export(__DIR__ . '/../autoload.php', true);
        $code = "require $autoload; echo PaymentsSandbox\\Sandbox::open()->url;";
        $environment = ['PAYMENTS_SANDBOX_URL' => $namedUrl] + getenv();
        $process = proc_open([PHP_BINARY, '-r', $code], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes, null, $environment);
        $url = stream_get_contents($pipes[1]);
        self::assertSame(0, proc_close($process));

        return $url;
    }

    private static function rootOf(string $url): string
    {
        return explode('/w/', $url)[0];
    }

    private static function isRunning(string $url): bool
    {
        return @file_get_contents("$url/_sandbox/health") !== false;
    }

    private function charge(string $externalId): Type\CashinResponse
    {
        return $this->sandbox->client->cashin(amount: '25.00', currency: 'BRL', externalId: $externalId);
    }

    private function assertRequests(int $times, string $path): void
    {
        $path = substr($this->sandbox->url, strlen(self::rootOf($this->sandbox->url))) . $path;
        $found = $this->sandbox->control('POST', '/requests/verify', ['path' => $path, 'times' => $times]);
        self::assertSame($times, $found['matched']);
    }

    /** Pays a charge, and returns the webhook that the inbox received. */
    private function receivedWebhook(): Type\InboxMessage
    {
        $this->sandbox->setWebhookUrl($this->sandbox->inbox()->url);
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay, 'order-1');
        $event = $this->sandbox->waitForWebhook(EventName::CashinConfirmed, externalId: 'order-1');
        [$message] = $this->sandbox->inbox()->messages();
        self::assertSame($event->body, $message->raw);

        return $message;
    }

    private function secret(): string
    {
        return $this->sandbox->accounts['merchant']->webhookSecret;
    }

    /** @testdox 1. It uses the sandbox that PAYMENTS_SANDBOX_URL names, and leaves it running. */
    public function testUsesNamedSandbox(): void
    {
        $named = self::rootOf($this->sandbox->url);
        self::assertStringStartsWith("$named/w/", self::runOther($named));
        self::assertTrue(self::isRunning($named));
    }

    /** @testdox 2. It starts a sandbox if none is named, and stops it at the end. */
    public function testStartsAndStopsSandbox(): void
    {
        $url = self::runOther('');
        self::assertStringStartsWith('http://127.0.0.1:', $url);
        self::assertNotSame(self::rootOf($this->sandbox->url), self::rootOf($url));
        self::assertFalse(self::isRunning(self::rootOf($url)));
    }

    /** @testdox 3. It gives each test a workspace of its own. */
    public function testGivesOwnWorkspace(): void
    {
        InnerTest::$urls = [$this->sandbox->url];
        (new InnerTest('testSomething'))->run();
        (new InnerTest('testSomething'))->run();
        self::assertCount(3, array_unique(InnerTest::$urls));
    }

    /** @testdox 4. It deletes the workspace after the test. */
    public function testDeletesWorkspace(): void
    {
        (new InnerTest('testSomething'))->run();
        $names = array_column($this->sandbox->control('GET', '/workspaces')['data'], 'base_url');
        self::assertContains($this->sandbox->url, $names);
        self::assertNotContains(end(InnerTest::$urls), $names);
    }

    /** @testdox 5. It fetches one token and reuses it. */
    public function testReusesToken(): void
    {
        $this->charge('order-1');
        $this->charge('order-2');
        $this->assertRequests(2, '/v2/transactions/cashin');
        $this->assertRequests(1, '/v2/oauth/token');
    }

    /** @testdox 6. It fetches a new token after the platform rejects the old one with 401. */
    public function testRenewsToken(): void
    {
        $this->charge('order-1');
        $this->sandbox->advance('2h');
        $this->charge('order-2');
        $this->assertRequests(3, '/v2/transactions/cashin');
        $this->assertRequests(2, '/v2/oauth/token');
    }

    /** @testdox 7. It signs a withdrawal. */
    public function testSignsWithdrawal(): void
    {
        $withdraw = ['amount' => '10.00', 'currency' => 'BRL', 'key' => '52998224725', 'externalId' => 'payout-1'];
        self::assertSame('pending', $this->sandbox->client->cashout(...$withdraw)->status);
        $own = $this->sandbox->accounts['merchant'];
        $wrong = new Type\Credential($own->clientId, $own->clientSecret, 'another key', $own->webhookSecret, null, true);
        try {
            (new Client($this->sandbox->url, $wrong))->cashout(...$withdraw);
            self::fail('a wrong signature was accepted');
        } catch (ApiException $error) {
            self::assertSame(ErrorCode::INVALID_SIGNATURE, $error->errorCode);
        }
    }

    /** @testdox 8. It creates a charge and returns a typed result. */
    public function testCreatesCharge(): void
    {
        $payer = new Type\CashinRequestPayer(name: 'Maria Souza');
        $split = [new Type\CashinRequestSplit(username: 'customer', amount: '1.50')];
        $charge = $this->sandbox->client->cashin(amount: '25.00', currency: 'BRL', externalId: 'order-1', payer: $payer, split: $split);
        self::assertSame(['pending', '25', '0.25', 'order-1'], [$charge->status, $charge->amount, $charge->fee, $charge->externalId]);
        self::assertSame(3600, $charge->paymentInfo->expiration);
        self::assertNotEmpty($charge->paymentInfo->qrcode);
    }

    /** @testdox 9. It triggers the payment of a charge. */
    public function testTriggersPayment(): void
    {
        $charge = $this->charge('order-1');
        $paid = $this->sandbox->trigger(Action::CashinPay, $charge->transactionId, ['payer' => ['name' => 'Maria Souza']]);
        self::assertSame([$charge->transactionId, 'confirmed'], [$paid->object->transactionId, $paid->object->status]);
        self::assertSame('Maria Souza', $paid->object->payer?->name);
    }

    /** @testdox 10. It waits for a webhook and returns its event. */
    public function testWaitsForWebhook(): void
    {
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay, 'order-1');
        $event = $this->sandbox->waitForWebhook(EventName::CashinConfirmed, externalId: 'order-1');
        self::assertInstanceOf(Type\CashinConfirmedData::class, $event->data);
        self::assertSame(['order-1', '24.75'], [$event->data->externalId, $event->data->amountNet]);
    }

    /** @testdox 11. It verifies the signature of a webhook over the raw body. */
    public function testVerifiesSignature(): void
    {
        $webhook = $this->receivedWebhook();
        $event = Signature::verifyWebhook($this->secret(), $webhook->raw, $webhook->headers);
        self::assertSame(EventName::CashinConfirmed, $event->name);
        // PSR-7 requests have lists of values.
        $lists = array_map(static fn (string $value): array => [$value], $webhook->headers);
        self::assertEquals($event, Signature::verifyWebhook($this->secret(), $webhook->raw, $lists));
    }

    /** @testdox 12. It rejects a changed body and a wrong secret, with a comparison in constant time. */
    public function testRejectsChangedBody(): void
    {
        ['raw' => $raw, 'headers' => $headers] = (array) $this->receivedWebhook();
        $attempts = [
            'a changed body' => [$this->secret(), str_replace('25.00', '2500.00', $raw), $headers],
            'a body that was encoded again' => [$this->secret(), json_encode(json_decode($raw), JSON_PRETTY_PRINT), $headers],
            'a wrong secret' => ['wrong', $raw, $headers],
            'no secret' => ['', $raw, ['x-webhook-signature' => hash_hmac('sha256', $raw, '')] + $headers],
            'no signature' => [$this->secret(), $raw, []],
        ];
        foreach ($attempts as $what => $attempt) {
            try {
                Signature::verifyWebhook(...$attempt);
                self::fail("$what was accepted");
            } catch (InvalidWebhookException $error) {
                self::assertStringContainsString('signature', $error->getMessage());
            }
        }
        $source = file_get_contents(__DIR__ . '/../src/Signature.php');
        self::assertStringContainsString("hash_equals(hash_hmac('sha256', \$body, \$secret), \$signature)", $source);
    }

    /** @testdox 13. It rejects a webhook with an old timestamp. */
    public function testRejectsOldTimestamp(): void
    {
        $webhook = $this->receivedWebhook();
        foreach ([240 => true, 360 => false, -600 => false] as $age => $isAccepted) {
            try {
                Signature::verifyWebhook($this->secret(), $webhook->raw, $webhook->headers, time() + $age);
                self::assertTrue($isAccepted, "$age seconds");
            } catch (InvalidWebhookException) {
                self::assertFalse($isAccepted, "$age seconds");
            }
        }
    }

    /** @testdox 14. It advances the clock until a charge expires. */
    public function testExpiresCharge(): void
    {
        $charge = $this->charge('order-1');
        $this->sandbox->advance('1h');
        $event = $this->sandbox->waitForWebhook(EventName::CashinExpired, transactionId: $charge->transactionId);
        self::assertSame('expired', $event->data->status);
    }

    /** @testdox 15. It arms a built-in scenario. */
    public function testArmsScenario(): void
    {
        $this->sandbox->armScenario('provider-error');
        try {
            $this->charge('order-1');
            self::fail('the charge was created');
        } catch (ApiException $error) {
            self::assertSame([ErrorCode::PROVIDER_ERROR, true], [$error->errorCode, $error->retryable]);
        }
    }

    /** @testdox 16. It uploads a scenario and runs it. */
    public function testRunsOwnScenario(): void
    {
        $this->sandbox->uploadScenario(<<<'YAML'
            name: paid-later
            title: A charge is paid after ten minutes
            params: { amount: 25 }
            steps:
              - create: { cashin: { amount: "${amount}", currency: BRL } }
              - wait: 10m
              - cashin.pay: {}
              - expect: { event: cashin.confirmed, within: 1s }
            YAML);
        self::assertCount(4, $this->sandbox->runScenario('paid-later', ['amount' => 30])->steps);
        self::assertSame('30.00', $this->sandbox->waitForWebhook(EventName::CashinConfirmed)->data->amount);
    }

    /** @testdox 17. It raises an API error with status, code, message, details and request id. */
    public function testRaisesError(): void
    {
        try {
            $this->sandbox->client->cashin(amount: '0.50', currency: 'BRL');
            self::fail('the charge was created');
        } catch (ApiException $error) {
            self::assertSame([409, ErrorCode::BELOW_MIN_LIMIT, 'limits', false], [$error->status, $error->errorCode, $error->group, $error->retryable]);
            self::assertSame(1, $error->details['min_amount']);
            self::assertStringStartsWith('req_', (string) $error->requestId);
            foreach (['409', 'BELOW_MIN_LIMIT', $error->errorMessage, '"min_amount":1', $error->requestId] as $part) {
                self::assertStringContainsString((string) $part, $error->getMessage());
            }
        }
    }

    /** @testdox 18. It says what happened instead when a wait for a webhook times out. */
    public function testExplainsTimeout(): void
    {
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay, 'order-1');
        try {
            $this->sandbox->waitForWebhook(EventName::CashinExpired, externalId: 'order-1', timeout: '50ms');
            self::fail('the event occurred');
        } catch (SandboxException $error) {
            foreach (['event=cashin.expired', 'external_id=order-1', 'WAIT_TIMEOUT', 'cashin.confirmed (failed) of tx_'] as $part) {
                self::assertStringContainsString($part, $error->getMessage());
            }
        }
    }

    /** @testdox 19. It returns the same charge when a request repeats its external_id. */
    public function testRepeatsExternalId(): void
    {
        self::assertEquals($this->charge('order-1'), $this->charge('order-1'));
        try {
            $this->sandbox->client->cashin(amount: '26.00', currency: 'BRL', externalId: 'order-1');
            self::fail('another charge was created');
        } catch (ApiException $error) {
            self::assertSame(ErrorCode::DUPLICATE_EXTERNAL_ID, $error->errorCode);
        }
    }

    /** @testdox 20. It keeps amounts as exact decimals. */
    public function testKeepsAmounts(): void
    {
        $balances = ['BRL' => '9007199254740.93', 'SOL' => '0.000000001'];
        $this->sandbox->control('PUT', '/accounts/merchant/balances', $balances);
        $read = array_column($this->sandbox->client->balance()->balances, 'available', 'currency');
        self::assertSame($balances, array_intersect_key($read, $balances));
        $this->sandbox->client->transfer(username: 'customer', currency: 'SOL', amount: '0.000000001');
        $this->assertRequests(1, '/v2/internal_transfers/payment');
        self::assertSame('{"amount":0.10}', Json::encode(['amount' => new \PaymentsSandbox\Decimal('0.10')]));
        $this->expectException(\InvalidArgumentException::class);
        $this->sandbox->client->cashin(amount: 'ten', currency: 'BRL');
    }

    /** @testdox 21. It asserts that calls were made, and says how similar calls differ. */
    public function testExpectsCalls(): void
    {
        $this->charge('order-1');
        $path = '/v2/transactions/cashin';
        $body = ['amount' => 25, 'external_id' => 'order-1'];
        self::assertSame(1, $this->sandbox->requests->expect(method: 'POST', path: $path, body: $body, times: 1));
        self::assertSame(1, $this->sandbox->requests->expect(path: $path));
        self::assertSame(0, $this->sandbox->requests->expect(path: '/v2/transactions/cashout', times: 0));
        $this->expectException(ApiException::class);
        $this->expectExceptionMessageMatches('/received 0.* had body.amount 25 instead of 26/');
        $this->sandbox->requests->expect(path: $path, body: ['amount' => 26]);
    }

    /** @testdox 22. It lists rejected calls and calls with warnings, and reads one of them with its bodies. */
    public function testListsCalls(): void
    {
        $this->charge('order-1');
        try {
            $this->sandbox->client->cashin(amount: '0.50', currency: 'BRL');
            self::fail('the charge was created');
        } catch (ApiException) {
            [$rejected] = $this->sandbox->requests->unexpected();
            [$warned] = $this->sandbox->requests->warnings();
        }
        self::assertSame(['BELOW_MIN_LIMIT', 'no_external_id'], [$rejected->errorCode, $warned->warnings[0]->code]);
        $details = $this->sandbox->requests->get($rejected->requestId);
        self::assertStringContainsString('"amount":0.50', (string) $details->requestBody);
        self::assertSame('BELOW_MIN_LIMIT', $this->sandbox->requests->replay($rejected->requestId)->errorCode);
    }

    /** @testdox 23. It restores a snapshot, and resets the workspace, whose clock then stands still. */
    public function testRestoresSnapshot(): void
    {
        $count = fn (): int => count($this->sandbox->client->transactionList()->items);
        $this->charge('order-1');
        $this->sandbox->snapshot('one');
        $this->charge('order-2');
        self::assertSame('one', $this->sandbox->restore('one')->name);
        self::assertSame(1, $count());
        $this->sandbox->reset();
        self::assertSame(0, $count());
        self::assertSame('manual', $this->sandbox->control('GET', '/clock')['mode']);
    }

    /** @testdox 24. It injects random faults and stops them. */
    public function testInjectsFaults(): void
    {
        $this->charge('order-1');
        self::assertSame('100%', $this->sandbox->chaos->set(seed: 'a', error: '100%')->error);
        try {
            $this->charge('order-2');
            self::fail('the charge was created');
        } catch (ApiException $error) {
            self::assertTrue($error->retryable);
        }
        self::assertSame(['error'], $this->sandbox->requests->list()[0]->chaos);
        self::assertSame('1s', $this->sandbox->chaos->preset('gentle')->slow?->by);
        $this->sandbox->chaos->off();
        self::assertNull($this->sandbox->chaos->read()->error);
        self::assertSame('pending', $this->charge('order-2')->status);
    }

    /** @testdox 25. It reads the statement of an account and the ledger. */
    public function testReadsStatement(): void
    {
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay);
        $statement = $this->sandbox->statement('merchant', currency: 'BRL');
        $last = array_slice($statement->entries, -2);
        self::assertSame(['charge', '25.00', 'charge_fee', '-0.25'], [$last[0]->type, $last[0]->amount, $last[1]->type, $last[1]->amount]);
        self::assertTrue($this->sandbox->ledger()->balanced);
        self::assertSame($statement->closing, $this->sandbox->account('merchant')->balances->BRL->available);
    }

    /** @testdox 26. It replies to a dispute with a file. */
    public function testRepliesToDispute(): void
    {
        $dispute = (string) $this->sandbox->trigger(Action::DisputeOpen, null, ['create' => true])->object->infractionId;
        $receipt = new Upload('recibo nº 1.pdf', "%PDF-1.4\n%%EOF", 'application/pdf');
        $reply = $this->sandbox->client->infractionReply($dispute, 'Delivered on Monday', $receipt);
        self::assertCount(1, $reply->files);
        self::assertSame('responded', $this->sandbox->client->infractionDetail($dispute)->status);
    }

    /** @testdox 27. It creates an account, and changes its balances, limits and fees. */
    public function testChangesAccount(): void
    {
        $created = $this->sandbox->createAccount(username: 'shop', balances: new Type\AccountOptionsBalances(BRL: '500.00'));
        self::assertSame('500.00', $created->balances->BRL->available);
        $limit = new Type\AccountChangesLimit(currency: 'BRL', operation: 'cashin', maxAmount: '50');
        $fee = new Type\AccountChangesFee(currency: 'BRL', operation: 'cashin', fixed: '0', percent: '0');
        $this->sandbox->changeAccount('shop', limits: [$limit], fees: [$fee]);
        self::assertSame('7.50', $this->sandbox->setBalances('shop', BRL: '7.50')->balances->BRL->available);
        self::assertEquals('0', $this->sandbox->clientOf('shop')->cashin(amount: '50', currency: 'BRL')->fee);
        $this->expectExceptionMessage(ErrorCode::EXCEEDS_MAX_LIMIT);
        $this->sandbox->clientOf('shop')->cashin(amount: '51', currency: 'BRL');
    }

    /** @testdox 28. It reads what an inbox received, and sets its responses. */
    public function testUsesInbox(): void
    {
        $inbox = $this->sandbox->inbox();
        $this->sandbox->setWebhookUrl($inbox->url);
        $inbox->respond(500, 200);
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay);
        $this->sandbox->advance('1h');
        $messages = $inbox->messages();
        self::assertSame([true, true], array_column($messages, 'signatureValid'));
        self::assertSame('cashin.confirmed', $messages[0]->headers['x-webhook-event']);
        $inbox->clear();
        self::assertSame([], $inbox->messages());
    }

    /** @testdox 29. It shows the calls and the webhooks of a failed test in the output of the test runner. */
    public function testShowsFailure(): void
    {
        $failures = (new FailingTest('testFails'))->run()->errors();
        $output = TestFailure::exceptionToString($failures[0]->thrownException());
        $parts = ['BELOW_MIN_LIMIT', 'payments-sandbox: request log', 'POST /v2/transactions/cashin 409 BELOW_MIN_LIMIT req_',
            'request: {"currency":"BRL","amount":0.50}', 'warning: external_id is missing', 'payments-sandbox: webhooks',
            'cashin.confirmed tx_', 'attempt 1: no_url'];
        foreach ($parts as $part) {
            self::assertStringContainsString($part, $output);
        }
    }

    /** @testdox 30. It says which command failed, and what to do, if no sandbox starts. */
    public function testExplainsStart(): void
    {
        $autoload = var_export(__DIR__ . '/../autoload.php', true);
        $code = "require $autoload; try { PaymentsSandbox\\Sandbox::open(); } catch (PaymentsSandbox\\SandboxException \$e) { echo \$e->getMessage(); }";
        $environment = ['PAYMENTS_SANDBOX_URL' => '', 'PAYMENTS_SANDBOX_COMMAND' => 'false with words'] + getenv();
        $process = proc_open([PHP_BINARY, '-r', $code], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes, null, $environment);
        $message = (string) stream_get_contents($pipes[1]);
        proc_close($process);
        foreach (['false with words', 'set PAYMENTS_SANDBOX_URL', 'PAYMENTS_SANDBOX_COMMAND'] as $part) {
            self::assertStringContainsString($part, $message);
        }
    }
}
