/** What each endpoint takes (§4): field for field, in the order in which they are checked. */
import * as z from 'zod'
import { pixKeyTypes } from '../rails/pix-key.js'
import { chainNames, currencyNames, networkNames } from './currencies.js'
import { sources } from './events.js'
import { amount, assumed, choice, optionalText, text, whole } from './fields.js'
import { bodyLimits, externalIdMaxLength, operations, pageSizes, replyMessageMaxLength } from './limits.js'
import { statusesOf } from './transitions.js'

type Names = [string, ...string[]]

const currency = () => choice(currencyNames as Names, 'INVALID_CURRENCY')
const externalId = () => text(externalIdMaxLength).optional()
const chain = () => choice(chainNames as Names, 'UNSUPPORTED_CHAIN').optional()
const keyType = () => choice(pixKeyTypes).optional()

export const token = z.object({ grant_type: z.literal('client_credentials', 'must be client_credentials') })

const splitItem = z
  .object({ username: text(), percentage: amount().optional(), amount: amount().optional() })
  .refine(
    (item) => (item.percentage === undefined) !== (item.amount === undefined),
    'an item has either percentage or amount',
  )

export const cashin = z.object({
  currency: currency(),
  amount: amount(),
  chain: chain(),
  external_id: externalId(),
  postback_url: z.string('must be a string').optional().meta({ code: 'INVALID_POSTBACK_URL', format: 'uri' }),
  payer: z
    .object(
      { name: optionalText(), document: optionalText(18), email: z.email('must be an e-mail address').optional() },
      'must be an object',
    )
    .optional(),
  split: z
    .array(splitItem, 'must be an array')
    .max(50, 'at most 50 items')
    .optional()
    .meta({ code: 'INVALID_SPLIT_CONFIG', ...assumed }),
})

export const cashout = z.object({
  currency: currency(),
  amount: amount(),
  key: text(255),
  external_id: text(externalIdMaxLength),
  key_type: keyType(),
  network: choice(networkNames as Names, 'UNSUPPORTED_CHAIN')
    .optional()
    .meta(assumed),
  name: optionalText(),
  bank_code: optionalText(10).meta(assumed),
  description: optionalText(),
})

/** Legacy (decision 21). */
export const pixPayment = z
  .object({
    amount: amount(),
    creditParty: z.object(
      { name: optionalText(), keyType: keyType(), key: text(255), taxId: optionalText(18) },
      'must be an object',
    ),
    external_id: externalId(),
    description: optionalText(),
  })
  .meta(assumed)

export const wallet = z.object({ currency: currency(), chain: chain() })

export const transfer = z.object({
  username: text(),
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
const transactionStatuses: Names = ['cancelled', ...statusesOf(...operations)]
const disputeStatuses = statusesOf('dispute') as unknown as Names

const date = () =>
  z
    .string('must be a date')
    .meta({ examples: ['2026-11-21'], ...assumed })
    .optional()

export const transactionList = z.object({
  page: whole(1, 1_000_000).optional().meta(assumed),
  page_size: whole(1, pageSizes.max).optional().meta(assumed),
  status: choice(transactionStatuses).optional(),
  type: choice(operations).optional().meta(assumed),
  source: choice(sources).optional(),
  currency: choice(currencyNames as Names).optional(),
  from_date: date(),
  to_date: date(),
})

export const infractionList = z.object({
  page: whole(1, 1_000_000).optional().meta(assumed),
  page_size: whole(1, pageSizes.max).optional().meta(assumed),
  status: choice(disputeStatuses).optional(),
  type: optionalText(60),
})

export const infractionDetail = z.object({ id: z.uuid('must be a UUID') })

export const infractionReply = z.object({
  id: z.uuid('must be a UUID'),
  message: text(replyMessageMaxLength),
  'files[]': z
    .array(z.unknown())
    .optional()
    .meta({ items: { type: 'string', format: 'binary' }, maxItems: bodyLimits.files, ...assumed }),
})

export const nothing = z.object({})
