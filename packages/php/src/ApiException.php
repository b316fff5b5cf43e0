<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** An error response of the sandbox. */
final class ApiException extends SandboxException
{
    /** @param array<string, mixed> $details */
    public function __construct(
        /** The HTTP status. */
        public readonly int $status,
        /** One of the constants of ErrorCode. */
        public readonly string $errorCode,
        public readonly string $errorMessage,
        public readonly string $group,
        public readonly bool $retryable,
        /** They depend on the code. */
        public readonly array $details,
        /** Finds the request in the request log. */
        public readonly ?string $requestId,
    ) {
        parent::__construct("$status $errorCode: $errorMessage " . Json::encode($details) . " ($requestId)", $status);
    }
}
