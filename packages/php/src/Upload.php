<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** A file that is attached to a reply to a dispute. */
final class Upload
{
    public function __construct(
        public readonly string $name,
        public readonly string $content,
        public readonly string $type,
    ) {
    }

    /**
     * Encodes fields and files as multipart/form-data.
     *
     * @internal
     *
     * @param array<string, mixed> $fields
     * @param list<self> $files
     */
    public static function form(string $boundary, array $fields, array $files): string
    {
        $part = static fn (string $head, string $content): string =>
            "--$boundary\r\nContent-Disposition: form-data; name=$head\r\n\r\n$content\r\n";
        $form = '';
        foreach ($fields as $name => $value) {
            $form .= $part("\"$name\"", (string) $value);
        }
        foreach ($files as $file) {
            $name = strtr($file->name, ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
            $form .= $part("\"files[]\"; filename=\"$name\"\r\nContent-Type: $file->type", $file->content);
        }

        return "$form--$boundary--\r\n";
    }
}
