<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** Random faults of calls and webhooks, the same for the same seed. */
final class Chaos
{
    use ChaosCalls;

    public function __construct(private readonly Sandbox $sandbox)
    {
    }

    /** Injects the faults of a preset: gentle, rough or off. */
    public function preset(string $name): Type\Chaos
    {
        $faults = Protocol::CHAOS_PRESETS[$name] ?? throw new \InvalidArgumentException("there is no preset \"$name\" of faults");

        return Type\Chaos::from($this->sandbox->control('PUT', '/chaos', Json::decode($faults)));
    }

    /** {@inheritDoc} */
    protected function call(string $method, string $path, string $input, array $fields): array
    {
        return $this->sandbox->call($method, $path, $input, $fields);
    }
}
