/** Shows the fields of an object in words, whatever they are. */
import type { Child } from 'hono/jsx/dom'
import { labelOf as labelOfField } from '../../protocol/platform/fields.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { CopyButton } from './copy.js'
import { Facts } from './layout.js'
import { ExactMoment, WrappedText } from './text.js'

// Groups of the detail list, with the fields that each shows, and labels of fields outside of their object.

const groups: Readonly<Record<string, string>> = {
  people:
    'payer.name payer.document payer.email receiver.name receiver.document receiver.bank from_user to_user wallet key_type description reason',
  payment:
    'type currency amount_requested fee amount_refunded rate network address min_confirmations error_code error_message source account',
  references: 'external_id transaction_id infraction_id wallet_id e2e_id tracking_key hash pay_url postback_url',
  times: 'created_at updated_at deadline_at resolved_at',
}

/** Names of the groups, in the order of the list; fields without a group come first. */
const fieldGroups: readonly string[] = ['', ...Object.keys(groups)]
const groupOf = (name: string): string =>
  Object.keys(groups).find((group) => groups[group]?.split(' ').includes(name)) ?? ''

/** `payer.name` is the payer, `payer.document` the payer's document, `delay.p95_ms` the delay p95 ms. */
function labelOf(name: string): string {
  const [, person, field] = /^(payer|receiver)\.(\w+)$/.exec(name) ?? []
  if (person === undefined || field === undefined) return name.includes('.') ? sentence(name) : labelOfField(name)
  return field === 'name' ? labelOfField(person) : `${labelOfField(person)}’s ${field}`
}

/** Values without spaces that have a digit and are this long, such as documents, ids and addresses, get a copy button. */
const minCopyLength = 11

interface FieldsProps {
  rows: readonly (readonly [name: string, value: unknown])[]
}

/** One list for each group of fields. */
export const Fields = ({ rows }: FieldsProps) => {
  const flat = rows.flatMap(([name, value]) => flatten(name, value))
  return fieldGroups.map((group) => {
    const own = flat.filter(([name]) => groupOf(name) === group)
    return own.length === 0 ? null : (
      <Facts key={group} rows={own.map(([name, value]) => [labelOf(name), value, name])} />
    )
  })
}

const isElement = (value: object): value is Child & object => 'tag' in value && 'props' in value

function flatten(name: string, value: unknown): (readonly [string, Child])[] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [[name, <Value name={name} text={String(value)} />]]
  if (isElement(value)) return [[name, value]]
  if (Array.isArray(value))
    return value.length === 0 ? [] : [[name, <Value name={name} text={JSON.stringify(value)} />]]
  return Object.entries(value).flatMap(([key, inner]) => flatten(`${name}.${key}`, inner))
}

const isMoment = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

/** Codes such as `PIX_KEY_NOT_FOUND`. */
const codePattern = /^[A-Z]+(?:_[A-Z]+)+$/

const Value = ({ name, text }: { name: string; text: string }) =>
  isMoment(text) ? (
    <ExactMoment iso={text} />
  ) : codePattern.test(text) ? (
    <code>
      <WrappedText>{text}</WrappedText>
    </code>
  ) : !isCopied(name, text) ? (
    <span class="long">
      <WrappedText>{text}</WrappedText>
    </span>
  ) : (
    <span class="id">
      <code>
        <WrappedText>{text}</WrappedText>
      </code>
      <CopyButton
        text={text}
        noun={t`the ${t(labelOf(name)).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`}
      />
    </span>
  )

const isCopied = (name: string, text: string) =>
  !/(^|[._])(name|description|reason|error_message)$/.test(name) &&
  text.length >= minCopyLength &&
  /\d|:\/\/|@/.test(text) &&
  !/\s/.test(text)
