<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** An event, as a webhook contains it. */
final class Event
{
    private function __construct(
        public readonly EventName $name,
        public readonly string $timestamp,
        public readonly string $transactionId,
        /** Such as Type\CashinConfirmedData. */
        public readonly object $data,
        /** The exact text that was sent. */
        public readonly string $body,
    ) {
    }

    /** @throws InvalidWebhookException */
    public static function fromBody(string $body): self
    {
        try {
            $event = Json::decode($body);
            $name = EventName::from($event['event']);

            return new self($name, $event['timestamp'], $event['transaction_id'], $name->dataOf($event['data']), $body);
        } catch (\JsonException | \TypeError | \ValueError $error) {
            throw new InvalidWebhookException('the body of the webhook is not an event', 0, $error);
        }
    }
}
