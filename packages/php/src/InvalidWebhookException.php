<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** The webhook does not come from the platform. Respond with 401. */
final class InvalidWebhookException extends \RuntimeException
{
}
