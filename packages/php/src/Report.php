<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/**
 * Describes the calls and the webhooks of a failed test.
 *
 * @internal
 */
final class Report
{
    private const ROWS = 20;
    private const CHARACTERS = 300;

    /** Adds the description to the message of a failure, which every version of PHPUnit prints. */
    public static function addTo(\Throwable $failure, Sandbox $sandbox): void
    {
        $class = $failure instanceof \Exception ? \Exception::class : \Error::class;
        $text = $failure->getMessage() . "\n\n" . self::of($sandbox);
        (new \ReflectionProperty($class, 'message'))->setValue($failure, $text);
    }

    private static function of(Sandbox $sandbox): string
    {
        try {
            $calls = array_reverse($sandbox->requests->list());
            $events = array_reverse(Type\WebhookPage::from($sandbox->control('GET', '/webhooks?limit=' . self::ROWS))->data);
            $describeCall = static fn (Type\LoggedCall $call): array => self::describeCall($sandbox, $call);
            $describeEvent = static fn (Type\WebhookSummary $event): array => self::describeEvent($sandbox, $event);
            $lines = ['payments-sandbox: request log', ...array_merge(...array_map($describeCall, array_slice($calls, -self::ROWS)))];

            return implode("\n", [...$lines, 'payments-sandbox: webhooks', ...array_merge(...array_map($describeEvent, $events))]);
        } catch (SandboxException $error) {
            return 'payments-sandbox: the request log cannot be read: ' . $error->getMessage();
        }
    }

    /** @return list<string> */
    private static function describeCall(Sandbox $sandbox, Type\LoggedCall $call): array
    {
        $path = strstr($call->path, '/v2') ?: $call->path;
        $lines = [implode(' ', array_filter([" ", $call->method, $path, $call->status, $call->errorCode, $call->requestId]))];
        if ($call->status === 0 || $call->status >= 400) {
            $details = $sandbox->requests->get($call->requestId);
            $lines[] = '    request: ' . self::shortened($details->requestBody);
            $lines[] = '    response: ' . self::shortened($details->responseBody);
        }

        return [...$lines, ...array_map(static fn (Type\CallWarning $warning): string => "    warning: $warning->message", $call->warnings)];
    }

    /** @return list<string> */
    private static function describeEvent(Sandbox $sandbox, Type\WebhookSummary $event): array
    {
        $webhook = Type\Webhook::from($sandbox->control('GET', "/webhooks/$event->id"));
        $describe = static fn (Type\WebhookAttempt $one): string =>
            rtrim("    attempt $one->number: $one->outcome $one->status " . self::shortened($one->responseBody));

        return [rtrim("  $event->event $event->transactionId $webhook->status $webhook->url"), ...array_map($describe, $webhook->attempts)];
    }

    private static function shortened(?string $text): string
    {
        return strlen((string) $text) > self::CHARACTERS ? substr((string) $text, 0, self::CHARACTERS) . '…' : (string) $text;
    }
}
