/** Building blocks of views: head, panels, lists of facts, empty and error states. */
import type { Child } from 'hono/jsx/dom'
import type { Failure as Refusal } from '../api.js'
import { t } from '../language.js'
import { useEffect, useValue } from '../store/hooks.js'
import { connection } from '../store/live.js'
import type { Query } from '../store/query.js'
import { link } from '../store/route.js'
import { Code } from './code.js'
import { Icon } from './icon.js'

interface HeadProps {
  /** The title of the page, and the heading if there is no other. */
  title: string
  heading?: Child
  /** The list to which this object belongs. */
  crumb?: { href: string; text: string }
  children?: Child
}

export const Head = ({ title, heading, crumb, children }: HeadProps) => {
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
        <h1 tabIndex={-1}>{heading ?? title}</h1>
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

/** For an address without a view. */
export const NotFound = () => (
  <>
    <Head title="Page not found" />
    <Panel flush>
      <Empty title="There is no page at this address.">
        Go to the <a href={link()}>overview</a>.
      </Empty>
    </Panel>
  </>
)

export const Failure = ({ error }: { error: Refusal }) => (
  <div class="failure" role="alert">
    <p>{error.message}</p>
    <FailureDetails error={error} />
  </div>
)

/** Formats a detail: words in one line, mistakes one by one. */
function detailTexts(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.every((item) => typeof item === 'string') ? [items.join(', ')] : items.map(mistakeText)
}

/** A mistake in a scenario file, as the command line shows it: `6:5: steps[2]: …`. */
function mistakeText(item: unknown): string {
  const { line, column, path, message } = (item ?? {}) as Record<string, unknown>
  if (typeof message !== 'string') return JSON.stringify(item)
  const place = typeof line === 'number' ? t`line ${line}, column ${column ?? 1}: ` : ''
  return `${place}${typeof path === 'string' && path !== '' ? `${path}: ` : ''}${message}`
}

export const FailureDetails = ({ error }: { error: Refusal }) => {
  const details = Object.entries(error.details).flatMap(([name, value]) =>
    detailTexts(value).map((text) => [name, text]),
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
