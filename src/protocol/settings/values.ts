/**
 * The shape of a row of the settings, and parsers for the values, whether from a flag, the environment or a file. Each error
 * message names the valid form.
 */

import * as z from 'zod'
import { parseDuration } from '../../base/duration.js'
import { rowAt } from '../../base/keys.js'
import { maxAmountDigits, parseAmount } from '../../base/money.js'
import { didYouMean, nearest } from '../../base/text.js'
import { type Currency, currencies, currencyNames, isCurrency } from '../platform/currencies.js'
import { maxPercentPpm, percentPlaces } from '../platform/limits.js'

/** What every setting of `start` has, whether it is about the platform or about the process. */
export interface SettingHelp {
  /** Stands for the value in the help: `<number>`. A flag without it is a switch: it has no value, but a negation. */
  placeholder?: string
  /** Short, in lower case and without the default, which is added. */
  help: string
  /** The default in the help, if the value in the configuration file does not say it. */
  usual?: string
  /** Only `start --help-config` lists the flag. */
  isRare?: true
  /** The help shows `--no-…`, because the default is on. */
  isOnByDefault?: true
  /** Too large for a flag or a variable, so only in the configuration file. */
  fileOnly?: true
}

interface PlatformRow<Schema extends z.ZodType, Part extends object, Preset extends object> extends SettingHelp {
  /** Parses the value from a flag, a variable, a file or a library option. */
  schema: Schema
  /** The part of the configuration that the value sets. */
  toConfig: (value: z.output<Schema>) => Part
  defaults: Preset
  /** The value that an unset setting has in effect, if its part of the configuration is null. */
  effective?: string
  /** The effect, in words for users. */
  title: string
  /** The default, in words for users. */
  defaultText: string
  /** Whether the setting decides an assumption about the platform, rather than a property of the sandbox. */
  isAssumed?: true
}

export const setting = <Schema extends z.ZodType, Part extends object, const Preset extends object>(
  row: PlatformRow<Schema, Part, Preset>,
) => ({ ...row, fallback: null })

/** The parts of a row that sets one field of the configuration to the parsed value. */
export const sets = <Name extends string, Schema extends z.ZodType, const Preset extends z.output<Schema> | null>(
  name: Name,
  schema: Schema,
  preset: Preset,
) => ({
  schema,
  // The compiler takes a computed name for any text.
  toConfig: (value: z.output<Schema>) => ({ [name]: value }) as Record<Name, z.output<Schema>>,
  defaults: { [name]: preset } as Record<Name, Preset>,
})

/** The default has the type of what the setting sets. */
type AssumedRow<Schema extends z.ZodType, Part extends object> = Pick<
  PlatformRow<Schema, Part, NoInfer<Part>>,
  'schema' | 'toConfig' | 'defaults' | 'title' | 'defaultText' | 'usual' | 'effective'
>

/** A setting that decides an assumption and stands in the configuration file only. */
export const assumption = <Schema extends z.ZodType, Part extends object>(row: AssumedRow<Schema, Part>) =>
  setting({ ...row, fileOnly: true, help: plainHelp(row.title), isAssumed: true })

/** A title as a help text: without Markdown, and in lower case unless it begins with an abbreviation. */
const plainHelp = (title: string): string =>
  title.replaceAll('`', '').replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())

/** A schema by a parser, which returns undefined for an invalid value; `type` is the JSON type in the published schema. */
export function schemaOf<T>(rule: string, parse: (value: unknown) => T | undefined, type: string | readonly string[]) {
  return z
    .unknown()
    .transform((input, ctx): T => {
      const parsed = parse(input)
      if (parsed !== undefined) return parsed
      ctx.addIssue({ code: 'custom', message: `${rule}, ${describeGiven(input)}` })
      return z.NEVER
    })
    .meta({ type })
}

const numberOrText = ['number', 'string'] as const

function describeGiven(input: unknown): string {
  if (input === undefined) return 'but is missing'
  return input === '' ? 'not empty' : `not ${typeof input === 'object' ? 'a list or a table' : JSON.stringify(input)}`
}

export const trimmedText = (input: unknown) =>
  typeof input === 'string' || typeof input === 'number' ? String(input).trim() : undefined

export const text = schemaOf('must be a string', (input) => trimmedText(input) || undefined, 'string')

/** A setting that is written as text or as a number. */
const written = <T>(rule: string, parse: (text: string) => T | undefined, type: string | readonly string[]) =>
  schemaOf(rule, (input) => parse(trimmedText(input) ?? ''), type)

export const whole = (min: number, max: number) =>
  written(
    `must be a whole number from ${min} to ${max}`,
    (text) => {
      const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
      return number >= min && number <= max ? number : undefined
    },
    'integer',
  )

export const port = whole(0, 65_535)
export const count = whole(1, 1_000_000_000)

const words: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}
export const flag = schemaOf(
  'must be true or false',
  (input) => (typeof input === 'boolean' ? input : rowAt(words, (trimmedText(input) ?? '').toLowerCase())),
  'boolean',
)

/** One of a few words. The error for a misspelled word suggests the nearest one. */
export const oneOf = <const T extends string>(choices: readonly T[]) =>
  z
    .unknown()
    .transform((input, ctx): T => {
      const found = choices.find((choice) => choice === input)
      if (found !== undefined) return found
      const guess = nearest(trimmedText(input) ?? '', choices)
      const meant = guess === null ? '' : `: did you mean ${guess}?`
      ctx.addIssue({ code: 'custom', message: `must be one of ${choices.join(', ')}, ${describeGiven(input)}${meant}` })
      return z.NEVER
    })
    .meta({ enum: choices })

/** Repeated flags, a comma-separated string, or a list. */
export const texts = schemaOf(
  'must be a string or a list of strings',
  (input) => {
    const items = Array.isArray(input) ? input.map(trimmedText) : trimmedText(input)?.split(',')
    const trimmed = items?.map((item) => item?.trim())
    const known = trimmed?.filter((item) => item !== undefined)
    return known?.length === trimmed?.length && known?.includes('') === false ? known : undefined
  },
  'array',
)

const hostName = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:.]+\])(:\d{1,5})?$/i
const bareIPv6 = /^[\da-f]*:[\da-f]*:[\da-f:.]*$/i
const maxHostLength = 260

/** Names and addresses, without wildcards: each is compared with the Host header, and may become part of a certificate. */
export const hosts = texts
  .transform((names, ctx) => {
    const isHost = (name: string) => name.length <= maxHostLength && (hostName.test(name) || bareIPv6.test(name))
    const wrong = names.find((name) => !isHost(name))
    if (wrong === undefined) return names
    const rule = 'must be host names or addresses without wildcards, such as pay.test or 10.0.0.7:8080'
    ctx.addIssue({ code: 'custom', message: `${rule}, ${describeGiven(wrong)}` })
    return z.NEVER
  })
  .meta({ type: 'array' })

export const webUrl = written(
  'must be an http:// or https:// address',
  (text) => (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? text : undefined),
  'string',
)

/** Milliseconds. */
export const duration = written(
  'must be a duration such as 90s, 10m, 2h or 7d',
  (text) => parseDuration(text) || undefined,
  numberOrText,
)

/** Milliseconds; null for `never`. */
export const life = written(
  'must be a duration such as 90s, 10m, 2h or 7d, or never',
  (text) => {
    const ms = text === 'never' ? null : parseDuration(text)
    return ms === 0 || (ms === null && text !== 'never') ? undefined : { ms }
  },
  numberOrText,
)

/** One of a few numbers, also as text. */
export const oneNumberOf = <const T extends number>(choices: readonly T[]) =>
  written(`must be one of ${choices.join(', ')}`, (text) => choices.find((one) => String(one) === text), 'integer')

/** `Z` or `-03:00`. */
export const offset = written(
  'must be Z or an offset such as -03:00',
  (text) => (/^(Z|[+-](0\d|1[0-4]):[0-5]\d)$/.test(text) ? text : undefined),
  'string',
)

/** A word that the platform sends. */
export const word = written(
  'must be 1 to 100 characters',
  (text) => (text.length >= 1 && text.length <= 100 ? text : undefined),
  'string',
)

/** A table with some of the keys; the error for a misspelled key suggests the nearest one. */
export const partialTable = <const Key extends string, Value extends z.ZodType>(keys: readonly Key[], value: Value) =>
  z.partialRecord(z.enum(keys), value, {
    error: (issue) =>
      issue.code === 'invalid_key'
        ? `is not one of ${keys.join(', ')}`
        : `must be a table with keys such as ${keys[0]}`,
  })

export const settling = written(
  'must be auto, manual, or a duration such as 2s',
  (text) => {
    if (text === 'manual' || text === 'auto') return { cashoutSettle: text } as const
    const cashoutSettleMs = parseDuration(text)
    return cashoutSettleMs === null ? undefined : ({ cashoutSettle: 'auto', cashoutSettleMs } as const)
  },
  numberOrText,
)

export const percent = written(
  `must be a percentage from 0 to 100 with at most ${percentPlaces} decimals`,
  (text) => {
    const parsed = parseAmount(text, percentPlaces)
    return parsed.ok && parsed.minor >= 0n && parsed.minor <= maxPercentPpm ? text : undefined
  },
  numberOrText,
)

const currency = z
  .string()
  .refine(isCurrency, {
    error: ({ input }) => {
      const guess = nearest(String(input), currencyNames)
      return `is not a supported currency; use one of ${currencyNames.join(', ')}${didYouMean(guess)}`
    },
  })
  .meta({ enum: currencyNames })

const rate = written(
  'must be a positive decimal number',
  (text) => (/^\d{1,12}(\.\d{1,12})?$/.test(text) && Number(text) > 0 ? text : undefined),
  numberOrText,
)
/** A table with a value for each currency; those that are missing have the default. */
export const tableByCurrency = <Value extends z.ZodType>(value: Value) =>
  z.partialRecord(currency, value, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? `is not a supported currency; use one of ${currencyNames.join(', ')}`
        : 'must be an object with a value for each currency, such as {"BRL": "1.00"}',
  })

export const rates = tableByCurrency(rate)

export const decimal = written(
  'must be a decimal number, zero or more',
  (text) => (/^\d{1,14}(\.\d{1,9})?$/.test(text) ? text : undefined),
  numberOrText,
)

/** Reports an amount that does not fit its currency; `within` is its place in the row of the currency. */
export function checkScale(
  ctx: z.core.$RefinementCtx,
  amount: string,
  currency: Currency,
  ...within: readonly string[]
): void {
  const { scale } = currencies[currency]
  if (parseAmount(amount, scale).ok) return
  const message = `must have at most ${scale} decimals and ${maxAmountDigits} digits`
  ctx.addIssue({ code: 'custom', path: [currency, ...within], message })
}
