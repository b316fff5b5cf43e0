<?php

// Loads the package without Composer.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    [$space, $name] = explode('\\', $class, 2) + [1 => ''];
    $file = __DIR__ . '/src/' . (str_starts_with($name, 'Type\\') ? 'Type/types' : $name) . '.php';
    if ($space === 'PaymentsSandbox' && is_file($file)) {
        require_once $file;
    }
});
