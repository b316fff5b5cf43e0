<?php

declare(strict_types=1);

namespace PaymentsSandbox;

/** An exact decimal number. It is text, so that no amount passes through binary floating point. */
final class Decimal
{
    /** @param numeric-string $digits such as 24.75 */
    public function __construct(public readonly string $digits)
    {
        if (preg_match('/^-?\d{1,40}(\.\d{1,40})?$/D', $digits) !== 1) {
            throw new \InvalidArgumentException("amount \"$digits\" is not a decimal number such as \"24.75\"");
        }
    }

    public static function orNull(?string $digits): ?self
    {
        return $digits === null ? null : new self($digits);
    }

    /** Writes a number without an exponent: 1e-9 becomes 0.000000001. */
    public static function plain(string $number): string
    {
        [$mantissa, $exponent] = explode('e', strtolower($number)) + [1 => '0'];
        [$whole, $fraction] = explode('.', ltrim($mantissa, '-')) + [1 => ''];
        $places = strlen($fraction) - (int) $exponent;
        $digits = str_pad($whole . $fraction, $places + 1, '0', STR_PAD_LEFT) . str_repeat('0', max(0, -$places));
        $plain = $places > 0 ? substr($digits, 0, -$places) . '.' . substr($digits, -$places) : $digits;

        return ($mantissa[0] === '-' ? '-' : '') . $plain;
    }
}
