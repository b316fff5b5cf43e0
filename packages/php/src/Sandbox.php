<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** A workspace: a sandbox of its own with accounts, a frozen clock, webhooks and scenarios. */
final class Sandbox
{
    use WorkspaceCalls;

    /** Sends requests of the account merchant. */
    public readonly Client $client;
    /** The request log of the platform API. */
    public readonly Requests $requests;
    /** Random faults. */
    public readonly Chaos $chaos;
    /** @var array<string, Client> */
    private array $clients = [];

    /** @param array<string, Type\Credential> $accounts */
    private function __construct(
        /** The base URL for the code under test. */
        public readonly string $url,
        /** Credentials of the accounts merchant and customer. */
        public readonly array $accounts,
        private readonly string $name,
    ) {
        $this->client = $this->clients['merchant'] = new Client($url, $accounts['merchant']);
        $this->requests = new Requests($this);
        $this->chaos = new Chaos($this);
    }

    /** Creates a workspace in the sandbox that the environment names, or in one that is started. */
    public static function open(): self
    {
        $name = 'php-' . bin2hex(random_bytes(8));
        $workspace = Type\Workspace::from(self::request(Server::url(), 'POST', '/workspaces', ['name' => $name]));
        $accounts = array_column($workspace->accounts, null, 'username');
        $credentials = array_map(static fn (Type\Account $account): Type\Credential => $account->credentials[0], $accounts);
        $sandbox = new self($workspace->baseUrl, $credentials, $name);
        $sandbox->control('PUT', '/clock', ['mode' => 'manual']);

        return $sandbox;
    }

    /** Deletes the workspace. */
    public function close(): void
    {
        self::request(Server::url(), 'DELETE', "/workspaces/$this->name");
    }

    /** Returns the client of an account. It fetches one token and reuses it. */
    public function clientOf(string $username): Client
    {
        return $this->clients[$username] ??= new Client($this->url, $this->account($username)->credentials[0]);
    }

    /** Returns to the state right after the workspace was created: the clock is frozen. */
    public function reset(): void
    {
        $this->control('POST', '/reset');
        $this->control('PUT', '/clock', ['mode' => 'manual']);
    }

    /** Returns a receiver of webhooks within the sandbox. */
    public function inbox(string $name = 'tests'): Inbox
    {
        return new Inbox($this, $name);
    }

    /**
     * Sends a call that has a method of its own.
     *
     * @internal
     *
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    public function call(string $method, string $path, string $input, array $fields): array
    {
        $given = array_filter($fields, static fn (mixed $field): bool => $field !== null);
        $query = $input === 'query' && $given !== [] ? '?' . http_build_query($given) : '';

        return $this->control($method, $path . $query, $input === 'json' ? $given : null) ?? [];
    }

    /**
     * Sends a request to the control API, and returns the decoded response.
     *
     * @param string $path the part after /_sandbox
     * @param array<string, mixed>|string|null $body fields, or a scenario as YAML
     *
     * @throws ApiException
     */
    public function control(string $method, string $path, array|string|null $body = null): mixed
    {
        return self::request($this->url, $method, $path, $body);
    }

    /**
     * Performs an action on the object with an id or external_id; without an id on the newest object that allows it.
     *
     * @param array<string, mixed> $parameters
     */
    public function trigger(Action $action, ?string $id = null, array $parameters = []): Type\Triggered
    {
        $body = ['action' => $action->value] + ($id === null ? [] : ['id' => $id]) + $parameters;

        return Type\Triggered::from($this->control('POST', '/trigger', $body));
    }

    /**
     * Advances the clock, and returns when everything that is due has run, webhooks included.
     *
     * @param string $by such as 90s, 10m, 2h or 7d
     */
    public function advance(string $by): void
    {
        if (!$this->control('POST', '/clock/advance', ['by' => $by])['complete']) {
            throw new SandboxException("the clock did not advance by $by within 30 seconds: a receiver does not respond");
        }
    }

    /** Sets where the webhooks of the account merchant go. */
    public function setWebhookUrl(string $url): void
    {
        $this->control('PATCH', '/credentials/' . $this->accounts['merchant']->clientId, ['postback_url' => $url]);
    }

    /** Arms a scenario: it takes effect on matching requests of the code under test. */
    public function armScenario(string $name): void
    {
        $this->control('POST', '/scenarios/' . rawurlencode($name) . '/arm', []);
    }

    /** Adds a scenario to the workspace. */
    public function uploadScenario(string $yaml): void
    {
        $this->control('POST', '/scenarios', $yaml);
    }

    /**
     * Runs a scenario, and advances the clock instead of waiting.
     *
     * @param array<string, mixed> $parameters
     *
     * @throws SandboxException unless all steps pass
     */
    public function runScenario(string $name, array $parameters = []): Type\Run
    {
        $body = ['fast_forward' => true, 'params' => $parameters];
        $run = Type\Run::from($this->control('POST', '/scenarios/' . rawurlencode($name) . '/run', $body));
        if ($run->status !== 'passed') {
            $steps = array_map(static fn (Type\RunStep $step): string => "$step->step $step->status $step->detail", $run->steps);
            throw new SandboxException("the scenario $name $run->status: " . implode('; ', $steps));
        }

        return $run;
    }

    /**
     * Returns an event when the receiver has acknowledged it, or when no webhook URL is set.
     *
     * @param string $timeout in real time
     *
     * @throws SandboxException if the event does not occur before the timeout; the message lists the events that did
     */
    public function waitForWebhook(EventName $name, ?string $externalId = null, ?string $transactionId = null, string $timeout = '5s'): Event
    {
        $filter = ['event' => $name->value, 'external_id' => $externalId, 'transaction_id' => $transactionId];
        $query = http_build_query($filter + ['status' => 'settled', 'timeout' => $timeout]);
        try {
            $webhook = Type\Webhook::from($this->control('GET', "/webhooks/wait?$query"));
        } catch (ApiException $error) {
            throw new SandboxException("waited for $query: {$error->getMessage()}\n" . $this->eventList(), 0, $error);
        }
        if ($webhook->status === 'failed' && $webhook->url !== null) {
            throw new SandboxException("$webhook->event ($webhook->id) was not delivered to $webhook->url");
        }

        return Event::fromBody($webhook->body);
    }

    private function eventList(): string
    {
        $events = Type\WebhookPage::from($this->control('GET', '/webhooks?limit=20'))->data;
        $line = static fn (Type\WebhookSummary $event): string => "\n  $event->event ($event->status) of $event->transactionId, external_id $event->externalId";

        return 'events that occurred: ' . count($events) . implode('', array_map($line, $events));
    }

    /** @param array<string, mixed>|string|null $body */
    private static function request(string $url, string $method, string $path, array|string|null $body = null): mixed
    {
        $token = Server::adminToken();
        $headers = ['Content-Type' => is_string($body) ? 'application/yaml' : 'application/json']
            + ($token === null ? [] : [Protocol::ADMIN_TOKEN => $token]);
        $text = is_array($body) ? Json::encode($body) : (string) $body;

        return Http::send($method, "$url/_sandbox$path", $headers, $text);
    }
}
