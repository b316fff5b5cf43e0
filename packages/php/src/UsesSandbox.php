<?php

declare(strict_types=1);

namespace PaymentsSandbox;

use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\Before;

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

    /** @after */
    #[After]
    protected function closeSandbox(): void
    {
        if (isset($this->sandbox)) {
            $this->sandbox->close();
        }
    }
}
