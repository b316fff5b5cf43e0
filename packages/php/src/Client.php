<?php

declare(strict_types=1);

namespace PaymentsSandbox;

use PaymentsSandbox\Type\Credential;

/**
 * Sends requests of the platform API with one credential. It fetches a token before the first request, and a new one
 * after the platform has rejected the token. It signs the requests that require it.
 */
final class Client
{
    use Endpoints;

    private ?string $token = null;

    /** @param string $baseUrl base URL of the API, without /v2 */
    public function __construct(private readonly string $baseUrl, private readonly Credential $credential)
    {
    }

    /**
     * @param array<string, mixed> $fields
     * @param list<Upload> $files
     *
     * @return array<string, mixed>
     */
    private function send(string $method, string $path, string $input, bool $signed, array $fields, array $files = []): array
    {
        $fields = array_filter($fields, static fn (mixed $field): bool => $field !== null);
        $url = $this->baseUrl . $path . ($input === 'query' ? '?' . http_build_query($fields) : '');
        $boundary = bin2hex(random_bytes(16));
        $isForm = $input === 'multipart';
        $body = $isForm ? Upload::form($boundary, $fields, $files) : ($input === 'json' ? Json::encode($fields) : '');
        $attempt = fn (): array => Http::send($method, $url, [
            'Content-Type' => $isForm ? "multipart/form-data; boundary=$boundary" : 'application/json',
            'Authorization' => 'Bearer ' . ($this->token ??= $this->fetchToken()),
        ] + ($signed ? Signature::sign($this->credential->signingKey, $body) : []), $body)['data'];
        try {
            return $attempt();
        } catch (ApiException $error) {
            if (!in_array($error->errorCode, [ErrorCode::TOKEN_EXPIRED, ErrorCode::UNAUTHORIZED], true)) {
                throw $error;
            }
            // The platform checks the token first, so it has done nothing.
            $this->token = null;

            return $attempt();
        }
    }

    private function fetchToken(): string
    {
        $pair = $this->credential->clientId . ':' . $this->credential->clientSecret;
        $headers = ['Authorization' => 'Basic ' . base64_encode($pair), 'Content-Type' => 'application/json'];

        return Http::send('POST', $this->baseUrl . Protocol::TOKEN_PATH, $headers, '{"grant_type":"client_credentials"}')['access_token'];
    }
}
