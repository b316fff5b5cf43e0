/** The request of each endpoint (interface.md §4), with fields in the order of their checks. */

import * as z from 'zod'
import { pixKeyTypes } from '../rails/pix-key.js'
import { chainNames, currencyNames, networkNames } from './currencies.js'
import { sources } from './events.js'
import {
  amount,
  assumed,
  assumedChoice,
  choice,
  integerInJson,
  integerInQuery,
  onFirstUse,
  optionalText,
  text,
} from './fields.js'
import {
  bodyLimits,
  externalIdMaxLength,
  operations,
  pageSizes,
  postbackUrlMaxLength,
  replyMessageMaxLength,
  textMaxLength,
} from './limits.js'
import { statusesOf } from './transitions.js'

const currency = () => choice(currencyNames, 'INVALID_CURRENCY')
const requiredExternalId = () => text(externalIdMaxLength).meta(assumedChoice('not empty'))
const externalId = () => requiredExternalId().optional()
/** A documented text whose length limit is our choice. */
const words = (max: number = textMaxLength) => text(max).meta(assumedChoice(`1 to ${max} characters`))
const optionalWords = (max: number = textMaxLength) =>
  optionalText(max).meta(assumedChoice(`at most ${max} characters`))
const chain = () => choice(chainNames, 'UNSUPPORTED_CHAIN').optional()
const keyType = () => choice(pixKeyTypes).optional()

export const token = onFirstUse(() =>
  z.object({ grant_type: z.literal('client_credentials', 'must be client_credentials') }),
)

const splitItem = () =>
  z
    .object({ username: words(), percentage: amount().optional(), amount: amount().optional() })
    .refine(
      (item) => (item.percentage === undefined) !== (item.amount === undefined),
      'an item has either percentage or amount',
    )

export const cashin = onFirstUse(() =>
  z.object({
    currency: currency(),
    amount: amount(),
    chain: chain(),
    external_id: externalId(),
    postback_url: z
      .string('must be a string')
      .max(postbackUrlMaxLength, `must be at most ${postbackUrlMaxLength} characters`)
      .optional()
      .meta({
        code: 'INVALID_POSTBACK_URL',
        format: 'uri',
        ...assumedChoice(
          `at most ${postbackUrlMaxLength} characters; http:// is also accepted for loopback and private addresses`,
        ),
      }),
    payer: z
      .object(
        {
          name: optionalWords(),
          document: optionalText(18).meta(assumedChoice('a valid CPF or CNPJ, of at most 18 characters')),
          email: z.email('must be an e-mail address').optional().meta(assumedChoice('a well-formed address')),
        },
        'must be an object',
      )
      .optional(),
    split: z
      .array(splitItem(), 'must be an array')
      .max(50, 'at most 50 items')
      .optional()
      .meta({ code: 'INVALID_SPLIT_CONFIG', ...assumedChoice('the items, and at most 50 items') }),
  }),
)

export const cashout = onFirstUse(() =>
  z.object({
    currency: currency(),
    amount: amount(),
    key: words(),
    external_id: requiredExternalId(),
    key_type: keyType().meta(assumedChoice('that it is ignored unless the currency is BRL')),
    network: choice(networkNames, 'UNSUPPORTED_CHAIN')
      .optional()
      .meta(assumedChoice('the values; required if the currency has several networks')),
    name: optionalWords(),
    bank_code: optionalText(10).meta(assumedChoice('at most 10 characters; a code of the ABM or of Banxico')),
    description: optionalWords(),
  }),
)

/** The legacy endpoint (assumptions.md decision 21). */
export const pixPayment = onFirstUse(() =>
  z
    .object({
      amount: amount(),
      creditParty: z.object(
        { name: optionalWords(), keyType: keyType(), key: words(), taxId: optionalText(18) },
        'must be an object',
      ),
      external_id: externalId(),
      description: optionalWords(),
    })
    .meta(assumed),
)

export const wallet = onFirstUse(() => z.object({ currency: currency(), chain: chain() }))

export const transfer = onFirstUse(() =>
  z.object({
    username: words(),
    currency: currency(),
    amount: amount(),
    external_id: externalId(),
    description: optionalText().meta(assumed),
  }),
)

export const conversion = onFirstUse(() =>
  z.object({
    base_currency: currency(),
    destination_currency: currency(),
    amount: amount(),
    external_id: externalId(),
  }),
)

/** interface.md §3 names `cancelled` but no transition to it: the filter accepts it, and no transaction has it. */
const transactionStatuses = ['cancelled' as const, ...statusesOf(...operations)]
const disputeStatuses = statusesOf('dispute')

/** `number` parses it from JSON or from a query. */
const page = (number = integerInJson) => number(1, 1_000_000).optional().meta(assumedChoice('default: 1'))
const pageSize = (number = integerInJson) =>
  number(1, pageSizes.max)
    .optional()
    .meta(assumedChoice(`at most ${pageSizes.max}; default: ${pageSizes.default}`))
const date = () =>
  z
    .string('must be a date')
    .meta({
      examples: ['2026-11-21'],
      ...assumedChoice('YYYY-MM-DD in the time zone America/Sao_Paulo, or ISO 8601 with an offset'),
    })
    .optional()

export const transactionList = onFirstUse(() =>
  z.object({
    page: page(),
    page_size: pageSize(),
    status: choice(transactionStatuses).optional(),
    type: choice(operations).optional().meta(assumedChoice('the values')),
    source: choice(sources).optional().meta(assumedChoice('the values, which are the same as in events')),
    currency: choice(currencyNames).optional(),
    from_date: date(),
    to_date: date(),
  }),
)

export const infractionList = onFirstUse(() =>
  z.object({
    page: page(integerInQuery),
    page_size: pageSize(integerInQuery),
    status: choice(disputeStatuses).optional(),
    type: words(60).optional(),
  }),
)

export const infractionDetail = onFirstUse(() => z.object({ id: z.uuid('must be a UUID') }))

export const infractionReply = onFirstUse(() =>
  z.object({
    id: z.uuid('must be a UUID'),
    message: words(replyMessageMaxLength),
    'files[]': z
      .array(z.unknown(), 'must be a file: give the part a `filename`')
      .optional()
      .meta({
        items: { type: 'string', format: 'binary' },
        maxItems: bodyLimits.files,
        ...assumedChoice('number, size and types of the files'),
      }),
  }),
)

export const nothing = onFirstUse(() => z.object({}))
