<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/**
 * Sends requests.
 *
 * @internal
 */
final class Http
{
    /**
     * Returns the decoded response; null if it is empty.
     *
     * @param array<string, string> $headers
     *
     * @throws ApiException if the status is not 2xx
     */
    public static function send(string $method, string $url, array $headers = [], string $body = ''): mixed
    {
        $lines = array_map(static fn (string $name): string => "$name: $headers[$name]", array_keys($headers));
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $lines,
            'content' => $body,
            'ignore_errors' => true,
            'follow_location' => 0,
            'timeout' => 120,
        ]]);
        $stream = @fopen($url, 'r', false, $context);
        if ($stream === false) {
            throw new SandboxException("no sandbox answers at $url: " . (error_get_last()['message'] ?? ''));
        }
        $text = (string) stream_get_contents($stream);
        $headerLines = stream_get_meta_data($stream)['wrapper_data'];
        fclose($stream);
        $status = (int) explode(' ', $headerLines[0])[1];
        if ($status > 199 && $status < 300) {
            return $text === '' ? null : Json::decode($text);
        }
        try {
            $error = Json::decode($text)['error'];
        } catch (\JsonException $error) {
            throw new SandboxException("$url is no sandbox: it responded with $status " . substr($text, 0, 200), 0, $error);
        }
        $ids = array_values(preg_grep('/^' . Protocol::REQUEST_ID . ':/i', $headerLines));
        $requestId = $ids === [] ? null : trim(explode(':', $ids[0], 2)[1]);
        throw new ApiException($status, $error['code'], $error['message'], $error['group'], $error['retryable'], $error['details'], $requestId);
    }
}
