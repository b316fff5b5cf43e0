/** What each endpoint takes (§4): field for field, in the order in which they are checked. */

import * as z from 'zod'
import { pixKeyTypes } from '../rails/pix-key.js'
import { chainNames, currencyNames, networkNames } from './currencies.js'
import { sources } from './events.js'
import { amount, assumed, choice, optionalText, ours, text, whole, wholeInQuery } from './fields.js'
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
const requiredExternalId = () => text(externalIdMaxLength).meta(ours('not empty'))
const externalId = () => requiredExternalId().optional()
/** A documented text, with a length that is ours. */
const words = (max: number = textMaxLength) => text(max).meta(ours(`1 to ${max} characters`))
const optionalWords = (max: number = textMaxLength) => optionalText(max).meta(ours(`at most ${max} characters`))
const chain = () => choice(chainNames, 'UNSUPPORTED_CHAIN').optional()
const keyType = () => choice(pixKeyTypes).optional()

export const token = z.object({ grant_type: z.literal('client_credentials', 'must be client_credentials') })

const splitItem = z
  .object({ username: words(), percentage: amount().optional(), amount: amount().optional() })
  .refine(
    (item) => (item.percentage === undefined) !== (item.amount === undefined),
    'an item has either percentage or amount',
  )

export const cashin = z.object({
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
      ...ours(`at most ${postbackUrlMaxLength} characters; http:// to loopback and private addresses too`),
    }),
  payer: z
    .object(
      {
        name: optionalWords(),
        document: optionalText(18).meta(ours('a valid CPF or CNPJ, of at most 18 characters')),
        email: z.email('must be an e-mail address').optional().meta(ours('a well-formed address')),
      },
      'must be an object',
    )
    .optional(),
  split: z
    .array(splitItem, 'must be an array')
    .max(50, 'at most 50 items')
    .optional()
    .meta({ code: 'INVALID_SPLIT_CONFIG', ...ours('its items, and that there are at most 50') }),
})

export const cashout = z.object({
  currency: currency(),
  amount: amount(),
  key: words(),
  external_id: requiredExternalId(),
  key_type: keyType().meta(ours('that it is ignored for other currencies than BRL')),
  network: choice(networkNames, 'UNSUPPORTED_CHAIN')
    .optional()
    .meta(ours('the names, and that it is required where the currency has more than one')),
  name: optionalWords(),
  bank_code: optionalText(10).meta(ours('at most 10 characters; a code of the ABM or of Banxico')),
  description: optionalWords(),
})

/** Legacy (decision 21). */
export const pixPayment = z
  .object({
    amount: amount(),
    creditParty: z.object(
      { name: optionalWords(), keyType: keyType(), key: words(), taxId: optionalText(18) },
      'must be an object',
    ),
    external_id: externalId(),
    description: optionalWords(),
  })
  .meta(assumed)

export const wallet = z.object({ currency: currency(), chain: chain() })

export const transfer = z.object({
  username: words(),
  currency: currency(),
  amount: amount(),
  external_id: externalId(),
  description: optionalText().meta(assumed),
})

export const conversion = z.object({
  base_currency: currency(),
  destination_currency: currency(),
  amount: amount(),
  external_id: externalId(),
})

/** §3 names `cancelled` and shows no move into it: it may be asked for, though nothing has it. */
const transactionStatuses = ['cancelled' as const, ...statusesOf(...operations)]
const disputeStatuses = statusesOf('dispute')

/** `number` reads it, from JSON or from a query. */
const page = (number = whole) => number(1, 1_000_000).optional().meta(ours('from 1, which it is where absent'))
const pageSize = (number = whole) =>
  number(1, pageSizes.max)
    .optional()
    .meta(ours(`at most ${pageSizes.max}; ${pageSizes.default} where absent`))
const date = () =>
  z
    .string('must be a date')
    .meta({ examples: ['2026-11-21'], ...ours('YYYY-MM-DD, a day of America/Sao_Paulo, or ISO 8601 with an offset') })
    .optional()

export const transactionList = z.object({
  page: page(),
  page_size: pageSize(),
  status: choice(transactionStatuses).optional(),
  type: choice(operations).optional().meta(ours('the values')),
  source: choice(sources).optional().meta(ours('that the values are those of events')),
  currency: choice(currencyNames).optional(),
  from_date: date(),
  to_date: date(),
})

export const infractionList = z.object({
  page: page(wholeInQuery),
  page_size: pageSize(wholeInQuery),
  status: choice(disputeStatuses).optional(),
  type: words(60).optional(),
})

export const infractionDetail = z.object({ id: z.uuid('must be a UUID') })

export const infractionReply = z.object({
  id: z.uuid('must be a UUID'),
  message: words(replyMessageMaxLength),
  'files[]': z
    .array(z.unknown())
    .optional()
    .meta({
      items: { type: 'string', format: 'binary' },
      maxItems: bodyLimits.files,
      ...ours('how many, how large, and which kinds'),
    }),
})

export const nothing = z.object({})
