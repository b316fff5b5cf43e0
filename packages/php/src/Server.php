<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/**
 * The sandbox of this process: the one that the environment names, or one that is started once.
 *
 * @internal
 */
final class Server
{
    private const URL = 'PAYMENTS_SANDBOX_URL';
    private const COMMAND = 'PAYMENTS_SANDBOX_COMMAND';
    /** Long enough for npx to download the package. */
    private const START_SECONDS = 120;

    private static ?string $startedUrl = null;

    public static function url(): string
    {
        $url = (string) getenv(self::URL);

        return $url !== '' ? rtrim($url, '/') : self::$startedUrl ??= self::start();
    }

    public static function adminToken(): ?string
    {
        return getenv('PAYMENTS_SANDBOX_ADMIN_TOKEN') ?: null;
    }

    /** Starts a sandbox that ends with its standard input, and so does not outlive a process that crashes. */
    private static function start(): string
    {
        $print = 'echo getenv("' . self::URL . '"), "\n"; stream_get_contents(STDIN);';
        $command = [...self::command(), 'exec', '--clock', 'manual', '--', PHP_BINARY, '-r', $print];
        $process = @proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['file', 'php://stderr', 'w']], $pipes);
        $line = $process === false ? '' : self::firstLine($pipes[1]);
        if ($process === false || $line === '') {
            throw new SandboxException('no sandbox was started by ' . implode(' ', self::command()) . '; set ' . self::URL
                . ' to a running one, or ' . self::COMMAND . ' to the program');
        }
        register_shutdown_function(static function () use ($process, $pipes): void {
            fclose($pipes[0]);
            for ($tries = 1000; $tries > 0 && proc_get_status($process)['running']; $tries--) {
                usleep(10_000);
            }
            proc_terminate($process);
        });

        return $line;
    }

    /** @param resource $output */
    private static function firstLine($output): string
    {
        $ready = [$output];
        $none = null;

        return stream_select($ready, $none, $none, self::START_SECONDS) ? trim((string) fgets($output)) : '';
    }

    /** @return list<string> */
    private static function command(): array
    {
        $command = (string) getenv(self::COMMAND);
        if ($command !== '') {
            return is_file($command) ? [$command] : preg_split('/\s+/', trim($command));
        }
        foreach (explode(PATH_SEPARATOR, (string) getenv('PATH')) as $folder) {
            if (is_executable("$folder/payments-sandbox")) {
                return ["$folder/payments-sandbox"];
            }
        }

        return Protocol::NPX === [] ? ['payments-sandbox'] : Protocol::NPX;
    }
}
