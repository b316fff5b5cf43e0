<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** The request log: the calls of your code, and expectations about them. */
final class Requests
{
    use RequestCalls;

    public function __construct(private readonly Sandbox $sandbox)
    {
    }

    /**
     * Returns the number of calls that match. Without $times at least one must.
     *
     * @param array<string, string>|null $headers
     *
     * @throws ApiException CONFLICT, whose message says how similar calls differ
     */
    public function expect(?string $method = null, ?string $path = null, ?int $status = null, mixed $body = null, ?array $headers = null, ?int $times = null): int
    {
        $matched = $this->verify($method, $path, $status, $body, $headers, $times)->matched;

        return $matched > 0 || $times !== null ? $matched : $this->verify($method, $path, $status, $body, $headers, 1)->matched;
    }

    /**
     * Returns the calls that were rejected with a 4xx, newest first.
     *
     * @return list<Type\LoggedCall>
     */
    public function unexpected(): array
    {
        $isRejected = static fn (Type\LoggedCall $call): bool => intdiv($call->status, 100) === 4;

        return array_values(array_filter($this->list(), $isRejected));
    }

    /**
     * Returns the calls that are probably mistakes, newest first.
     *
     * @return list<Type\LoggedCall>
     */
    public function warnings(): array
    {
        return $this->list(warnings: 'true');
    }

    /** {@inheritDoc} */
    protected function call(string $method, string $path, string $input, array $fields): array
    {
        return $this->sandbox->call($method, $path, $input, $fields);
    }
}
