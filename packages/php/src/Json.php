<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/**
 * JSON with exact numbers: a number that is not an integer is decoded as text, and a Decimal is encoded digit by digit.
 *
 * @internal
 */
final class Json
{
    /** A string, which is skipped, or a number with a fraction or an exponent. */
    private const NUMBER = '/"(?:[^"\\\\]++|\\\\.)*+"(*SKIP)(*FAIL)|-?\d++(?:\.\d++(?:e[-+]?\d{1,2})?|e[-+]?\d{1,2})/si';

    public static function encode(mixed $value): string
    {
        if ($value instanceof Decimal) {
            return $value->digits;
        }
        if (!is_array($value)) {
            return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        }
        if ($value !== [] && array_is_list($value)) {
            return '[' . implode(',', array_map(self::encode(...), $value)) . ']';
        }
        $fields = [];
        foreach ($value as $name => $field) {
            $fields[] = self::encode((string) $name) . ':' . self::encode($field);
        }

        return '{' . implode(',', $fields) . '}';
    }

    public static function decode(string $text): mixed
    {
        $quote = static fn (array $found): string => '"' . Decimal::plain($found[0]) . '"';
        $exact = preg_replace_callback(self::NUMBER, $quote, $text);

        return json_decode($exact ?? $text, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }
}
