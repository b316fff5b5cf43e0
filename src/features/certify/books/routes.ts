/** The route that certifies the ledger of an integrator. */
import * as z from 'zod'
import { currency, filterText, model, route } from '../../../inside/control.js'
import { choice, decimal, postingTypeNames } from '../../../inside/platform.js'
import { capitalized } from '../../../inside/values.js'
import { type BooksOption, booksOption, booksOptionNames, pairExample } from '../options.js'
import { reportFields, ruleModel } from '../report/evidence.js'
import { bookColumnNames } from './column-names.js'
import { booksRuleIds } from './rules.js'
import { bookTypes } from './words.js'

const rule = ruleModel('BooksRule', () => z.enum(booksRuleIds))

const mistake = model('BooksMistake', () =>
  z.strictObject({
    rule: z.enum(booksRuleIds),
    row: z.int().nullable().describe('Row of the file, or number of the entry; null if the entry is missing'),
    transaction_id: z.string().nullable(),
    external_id: z.string().nullable(),
    type: z
      .enum(postingTypeNames)
      .nullable()
      .describe('Type of the posting in the statement; null if the statement has no such posting'),
    currency: currency().nullable(),
    date: z.string().nullable(),
    booked: decimal().nullable(),
    expected: decimal().nullable().describe('In the sign convention of the ledger: signed, or always positive'),
    reason: z.string().nullable().describe('What the amounts do not show'),
    observed: z.string(),
  }),
)

const report = model('BooksReport', () =>
  z.strictObject({
    ...reportFields(rule(), z.enum(booksRuleIds)),
    entries: z
      .strictObject({ total: z.int(), matched: z.int(), mistaken: z.int(), unbooked: z.int() })
      .describe('Entries of the ledger; `unbooked`: transactions with a posting that is not booked'),
    mistakes: z.array(mistake()).describe('The first 1,000 mistakes'),
  }),
)

const describe = (name: BooksOption) => capitalized(booksOption(name).help)

function parameterOf(name: BooksOption) {
  const { kind, choices = ['true', 'false'] } = booksOption(name)
  if (kind === 'pairs')
    return filterText().describe(`For CSV: ${booksOption(name).help}, such as \`${pairExample(name)}\``)
  return (kind === undefined ? filterText() : choice(choices).optional()).describe(describe(name))
}

type Parameter<Name> = z.ZodOptional<
  Name extends 'decimal' ? z.ZodEnum<{ point: 'point'; comma: 'comma' }> : z.ZodString
>

const parameters = () =>
  // Each value is the schema of the row.
  Object.fromEntries(booksOptionNames.map((name) => [name, parameterOf(name)])) as unknown as {
    [Name in BooksOption]: Parameter<Name>
  }

/** Fields of a JSON body. */
export const booksBody = () =>
  z.strictObject({
    entries: z
      .custom<unknown[]>(Array.isArray, 'must be an array')
      .meta({
        type: 'array',
        items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
      })
      .describe(
        'Entries with `transaction_id` or `external_id`, `type`, `currency`, `amount` (or `debit` and `credit`), optionally `date`, `fee`, `status`',
      ),
    ...parameters(),
    columns: z
      .strictObject(Object.fromEntries(bookColumnNames.map((name) => [name, z.string('must be a string').optional()])))
      .optional()
      .describe('Names that the entries use for these fields (default: guessed)'),
    types: z
      .record(z.string(), z.union([choice(bookTypes), z.array(choice(bookTypes)).min(1)]))
      .optional()
      .describe(
        'Types of the statement by the words of the ledger, such as `{"gift": "charge", "move": ["transfer_sent", "transfer_received"]}`; the sign and the transaction decide among several, as for `transfer`, `conversion` and `fee`',
      ),
    minor_units: z.boolean('must be true or false').optional().describe(describe('minor_units')),
  })

/** Query parameters of a request with a CSV body. */
const booksQuery = () => z.strictObject(parameters())

export const booksRoutes = {
  certifyBooks: route('POST /certify/books', {
    tool: {
      name: 'certify_books',
      description: "Compare the integrator's ledger with the statement of an account.",
      example: {
        account: 'merchant',
        entries: [{ date: '2026-01-31', type: 'charge', amount: '25.00', currency: 'BRL', external_id: 'order-1' }],
      },
    },
    errors: ['INVALID_VALUE'],
    summary: 'Compare your ledger with the statement of an account, requirement by requirement; send JSON or CSV',
    query: booksQuery,
    body: booksBody,
    rawBodyTypes: ['application/json', 'text/csv'],
    answer: report,
    example: { entries: [{ type: 'charge', amount: '25.00', currency: 'BRL', external_id: 'order-1' }] },
  }),
} as const

export type BooksReport = z.output<ReturnType<typeof report>>

/** A ledger as received. */
export interface ReceivedBooks {
  type: string
  bytes: Uint8Array
  query: z.output<ReturnType<typeof booksQuery>>
}

/** How a ledger is read: what its body says, or the query beside a CSV file. */
export type BookOptions = Omit<z.output<ReturnType<typeof booksBody>>, 'entries'>
