<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** Signs requests and verifies webhooks. */
final class Signature
{
    /**
     * Returns the headers of a signed request. The body is exactly what is sent. A signature is valid for one request.
     *
     * @return array<string, string>
     */
    public static function sign(string $signingKey, string $body): array
    {
        $random = random_bytes(16);
        $random[6] = chr(ord($random[6]) & 0x0F | 0x40);
        $random[8] = chr(ord($random[8]) & 0x3F | 0x80);
        $nonce = vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($random), 4));
        $timestamp = (string) time();

        return [
            Protocol::SIGNATURE => hash_hmac('sha256', "$timestamp.$nonce.$body", $signingKey),
            Protocol::TIMESTAMP => $timestamp,
            Protocol::NONCE => $nonce,
        ];
    }

    /**
     * Verifies the signature over the raw body, in constant time, and that the timestamp is near now.
     *
     * @param string $body as it was received, such as file_get_contents('php://input')
     * @param array<string, string|list<string>> $headers such as getallheaders(), or those of a PSR-7 request
     *
     * @throws InvalidWebhookException respond with 401
     */
    public static function verifyWebhook(string $secret, string $body, array $headers, ?int $now = null): Event
    {
        $lowercase = array_map(static fn (string|array $value): string => ((array) $value)[0] ?? '', array_change_key_case($headers));
        $signature = $lowercase[strtolower(Protocol::WEBHOOK_SIGNATURE)] ?? '';
        if ($secret === '' || !hash_equals(hash_hmac('sha256', $body, $secret), $signature)) {
            throw new InvalidWebhookException('the secret is empty, or the signature does not match the raw body of the webhook');
        }
        $timestamp = $lowercase[strtolower(Protocol::WEBHOOK_TIMESTAMP)] ?? '';
        $isNear = abs(($now ?? time()) - (int) $timestamp) <= Protocol::SIGNATURE_WINDOW_SECONDS;
        if (preg_match('/^\d{1,12}$/D', $timestamp) !== 1 || !$isNear) {
            throw new InvalidWebhookException('the timestamp of the webhook is missing or too far from now');
        }

        return Event::fromBody($body);
    }
}
