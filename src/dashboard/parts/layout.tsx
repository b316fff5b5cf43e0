/** Building blocks of views: head, panels, lists of facts and fields, empty and error states. */
import type { Child } from 'hono/jsx/dom'
import type { Credential } from '../../client/types/control.js'
import { labelOf as labelOfField } from '../../protocol/platform/fields.js'
import type { Failure as Refusal } from '../api.js'
import { errorText, readableAmount, sentence } from '../format.js'
import { said, t } from '../language.js'
import { apiCurl, controlCurl } from '../platform-api.js'
import { type KindName, kindOf } from '../store/creation.js'
import { useEffect, useValue } from '../store/hooks.js'
import { connection } from '../store/live.js'
import { type Query, useAccounts } from '../store/query.js'
import { link } from '../store/route.js'
import { Code } from './code.js'
import { Icon } from './forms/controls.js'
import { CopyButton, ExactMoment, Prose, WrappedText } from './text.js'

interface HeadProps {
  /** The title of the page, and the heading if there is no other. */
  title: string
  heading?: Child
  /** Its state, beside the heading. */
  pill?: Child
  /** The list to which this object belongs. */
  crumb?: { href: string; text: string }
  children?: Child
}

export const Head = ({ title, heading, pill, crumb, children }: HeadProps) => {
  useEffect(() => {
    document.title = `${t(title)} · payments-sandbox`
  }, [title])
  return (
    <header class="view-head">
      <div class="view-title">
        {crumb === undefined ? null : (
          <a class="crumb" href={crumb.href}>
            <Icon name="back" /> {crumb.text}
          </a>
        )}
        <h1 tabIndex={-1}>
          {heading ?? title}
          {pill ? <> {pill}</> : null}
        </h1>
      </div>
      {children === undefined ? null : <div class="row">{children}</div>}
    </header>
  )
}

interface PanelProps {
  title?: Child
  tools?: Child
  children?: Child
  /** The content reaches the edges, as tables do. */
  flush?: boolean
}

export const Panel = ({ title, tools, children, flush }: PanelProps) => (
  <section class={`panel${flush === true ? ' flush' : ''}`}>
    {title === undefined ? null : (
      <div class="panel-head">
        <h2>{title}</h2>
        {tools === undefined ? null : <div class="row">{tools}</div>}
      </div>
    )}
    <div class="panel-body">{children}</div>
  </section>
)

type Fact = readonly [label: string, value: Child | null | undefined, field?: string]

/** Labels and values; rows with null are omitted. `field` is the name in the API, shown as a tooltip. */
export const Facts = ({ rows }: { rows: readonly Fact[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([label, value, field]) => (
        <div key={label}>
          <dt title={field}>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** The next step for the user, with a command that works unchanged. */
export const Empty = ({ title, children, curl }: { title: string; children?: Child; curl?: string | undefined }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p>{children}</p>}
    {curl === undefined ? null : <Code text={curl} label="Terminal" noun="the command" />}
  </div>
)

interface NotFoundProps {
  title: string
  /** The list in which it would be. */
  list: { href: string; text: string }
  children: Child
}

/** For an object that does not exist, and for an address without a view. */
export const NothingHere = ({ title, list, children }: NotFoundProps) => (
  <>
    <Head title={title} />
    <Panel flush>
      <div class="empty" role="alert">
        {children}
        <a class="button primary" href={list.href}>
          {list.text}
        </a>
      </div>
    </Panel>
  </>
)

export const NotFound = () => (
  <NothingHere title="Page not found" list={{ href: link(), text: 'Overview' }}>
    <p class="empty-title">There is no page at this address.</p>
  </NothingHere>
)

/** `isNote`: a text of the API as a part of what the page shows, which is not read out at once. */
export const Failure = ({ error, isNote }: { error: Refusal; isNote?: true }) => {
  const text = errorText(error)
  return (
    <div class="failure" role={isNote ? 'note' : 'alert'}>
      <p lang={text === error.message ? 'en' : undefined}>
        <Prose text={text} />
      </p>
      <FailureDetails error={error} />
    </div>
  )
}

/** Formats a detail: words in one line, mistakes one by one. */
function detailTexts(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.every((item) => typeof item === 'string') ? [items.join(', ')] : items.map(mistakeText)
}

/** A mistake in a scenario file, as the command line shows it: `6:5: steps[2]: …`. */
function mistakeText(item: unknown): string {
  const { line, column, path, message } = (item ?? {}) as Record<string, unknown>
  if (typeof message !== 'string') return readableAmount(JSON.stringify(item))
  const place = typeof line === 'number' ? t`line ${line}, column ${column ?? 1}: ` : ''
  return `${place}${typeof path === 'string' && path !== '' ? `${path}: ` : ''}${message}`
}

export const FailureDetails = ({ error }: { error: Refusal }) => {
  const message = errorText(error)
  // What the message says is not repeated; an empty list says nothing.
  const isSaid = (text: string) => text === '' || (text.includes(' ') && message.includes(text))
  const details = Object.entries(error.details).flatMap(([name, value]) =>
    detailTexts(value)
      .map((text) => (name === 'rule' ? said(text) : text))
      .flatMap((text) => (isSaid(text) ? [] : [[name, text]])),
  )
  return (
    <ul class="failure-details">
      <li>
        <code>{error.code}</code>
        {error.status === 0 ? null : ` · HTTP ${error.status}`}
      </li>
      {details.map(([name, text]) => (
        <li key={`${name} ${text}`}>
          <code>{name}</code>: {text}
        </li>
      ))}
    </ul>
  )
}

interface LoadedProps<T> {
  of: Query<T>
  children: (data: T) => Child
}

/** The error of a query, unless the top of the page already gives it as the reason of a lost connection. */
const NotLoaded = ({ error }: { error: Refusal }) => {
  const reason = useValue(connection)
  return typeof reason === 'object' && reason.code === error.code && reason.message === error.message ? (
    <p class="not-loaded">Not loaded</p>
  ) : (
    <Failure error={error} />
  )
}

/** Renders the answer of a query, or its loading or error state. */
export function Loaded<T>({ of, children }: LoadedProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== undefined) return <NotLoaded error={of.error} />
  return <p class="loading">Loading…</p>
}

// Groups of the detail list, with the fields that each shows, and labels of fields outside of their object.

const fieldsOfGroups: Readonly<Record<string, string>> = {
  people:
    'payer.name payer.document payer.email receiver.name receiver.document receiver.bank from_user to_user wallet key_type description reason',
  payment:
    'type currency amount_requested fee amount_refunded rate network address min_confirmations error_code error_message source account',
  references: 'external_id transaction_id infraction_id wallet_id e2e_id tracking_key hash pay_url postback_url',
  times: 'created_at updated_at deadline_at resolved_at',
}

/** Names of the groups, in the order of the list; fields without a group come first. */
const fieldGroups: readonly string[] = ['', ...Object.keys(fieldsOfGroups)]
const groupOf = (name: string): string =>
  Object.keys(fieldsOfGroups).find((group) => fieldsOfGroups[group]?.split(' ').includes(name)) ?? ''

/** `payer.name` is the payer, `payer.document` the payer's document, `delay.p95_ms` the delay p95 ms. */
function fieldLabel(name: string): string {
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
      <Facts key={group} rows={own.map(([name, value]) => [fieldLabel(name), value, name])} />
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
  ) : !isCopiable(name, text) ? (
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
        noun={t`the ${t(fieldLabel(name)).replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`}
      />
    </span>
  )

const isCopiable = (name: string, text: string) =>
  !/(^|[._])(name|description|reason|error_message)$/.test(name) &&
  text.length >= minCopyLength &&
  /\d|:\/\/|@/.test(text) &&
  !/\s/.test(text)

/** `curl` gets the first active credential. */
export const NextStep = ({
  title,
  curl,
  children,
}: {
  title: string
  curl: (credential: Credential) => string
  children?: Child
}) => {
  const accounts = useAccounts()
  const credential = accounts.data?.data.flatMap((account) => account.credentials).find(({ active }) => active)
  return (
    <Empty title={title} curl={credential === undefined ? undefined : curl(credential)}>
      {children}
    </Empty>
  )
}

/** `postbackUrl`: webhook URL of the charge (default: that of the credential). */
export const chargeCurl = (credential: Credential, postbackUrl?: string): string =>
  apiCurl(credential, {
    ...{ method: 'POST', path: '/v2/transactions/cashin', signed: false },
    body: JSON.stringify({ amount: 25, currency: 'BRL', postback_url: postbackUrl }),
  })

/** Creates and pays a charge whose webhook goes to the inbox with this URL. */
export const paidChargeCurl = (credential: Credential, inboxUrl: string): string =>
  `${chargeCurl(credential, inboxUrl)}\n${controlCurl('POST', '/trigger', { action: 'cashin.pay' })}`

export const FirstCharge = ({ title }: { title: string }) => (
  <NextStep title={title} curl={(credential) => chargeCurl(credential)}>
    <a href={link('new', 'charge')}>Create a charge</a> here, or paste this command into a terminal. The new charge
    appears on this page; open it and pay it.
  </NextStep>
)

/** Links to the forms that create these kinds. */
export const NewButtons = ({ kinds }: { kinds: readonly KindName[] }) => (
  <>
    {kinds.map((name, index) => (
      <a key={name} class={`button${index === 0 ? ' primary' : ''}`} href={link('new', name)}>
        {kindOf(name).title}
      </a>
    ))}
  </>
)
