<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** Receives webhooks within the sandbox, for code that has no receiver. */
final class Inbox
{
    /** The URL to set as the webhook URL. */
    public readonly string $url;
    private readonly string $path;

    public function __construct(private readonly Sandbox $sandbox, string $name)
    {
        $this->path = '/inbox/' . rawurlencode($name);
        $this->url = "$sandbox->url/_sandbox$this->path";
    }

    /**
     * Returns the webhooks that were received, oldest first.
     *
     * @return list<Type\InboxMessage>
     */
    public function messages(): array
    {
        return Type\InboxPage::from($this->sandbox->control('GET', $this->path))->data;
    }

    /** Sets the statuses of the next responses; the last one repeats. */
    public function respond(int ...$statuses): void
    {
        $responses = array_map(static fn (int $status): array => ['status' => $status], $statuses);
        $this->sandbox->control('PUT', $this->path, ['responses' => $responses]);
    }

    /** Deletes the messages and the responses. */
    public function clear(): void
    {
        $this->sandbox->control('DELETE', $this->path);
    }
}
