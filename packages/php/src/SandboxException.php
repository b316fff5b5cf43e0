<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** The sandbox cannot be started or reached, or a webhook was not delivered. */
class SandboxException extends \RuntimeException
{
}
