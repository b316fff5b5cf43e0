<?php

declare(strict_types=1);

namespace PaymentsSandbox;

use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\Before;
use PHPUnit\Framework\IncompleteTest;
use PHPUnit\Framework\Skipped;
use PHPUnit\Framework\SkippedTest;

/** Gives each test of a PHPUnit test case a workspace of its own. */
trait UsesSandbox
{
    protected Sandbox $sandbox;

    /** @before */
    #[Before]
    protected function openSandbox(): void
    {
        $this->sandbox = Sandbox::open();
    }

    /** Adds the calls and the webhooks of a failed test to its message. */
    protected function runTest(): mixed
    {
        try {
            return parent::runTest();
        } catch (\Throwable $failure) {
            if (!$failure instanceof IncompleteTest && !$failure instanceof Skipped && !$failure instanceof SkippedTest) {
                Report::addTo($failure, $this->sandbox);
            }
            throw $failure;
        }
    }

    /** @after */
    #[After]
    protected function closeSandbox(): void
    {
        if (isset($this->sandbox)) {
            $this->sandbox->close();
        }
    }
}
