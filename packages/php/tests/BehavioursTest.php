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
use PaymentsSandbox\UsesSandbox;
use PHPUnit\Framework\TestCase;

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
        $this->sandbox->setWebhookUrl($this->sandbox->url . '/_sandbox/inbox/tests');
        $this->charge('order-1');
        $this->sandbox->trigger(Action::CashinPay, 'order-1');
        $event = $this->sandbox->waitForWebhook(EventName::CashinConfirmed, externalId: 'order-1');
        [$message] = Type\InboxPage::from($this->sandbox->control('GET', '/inbox/tests'))->data;
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
}
