/** What views are built of: their head, panels, lists of facts, and what is said when there is nothing to show. */
import type { Child } from 'hono/jsx/dom'
import { useEffect } from 'hono/jsx/dom'
import type { Failure as Refusal } from '../api.js'
import type { Query } from '../store/query.js'
import { link } from '../store/route.js'
import { Code } from './code.js'
import { Icon } from './icon.js'

interface HeadProps {
  /** The title of the page, and its heading unless there is another. */
  title: string
  heading?: Child
  /** The list that this object is from. */
  crumb?: { href: string; text: string }
  children?: Child
}

export const Head = ({ title, heading, crumb, children }: HeadProps) => {
  useEffect(() => {
    document.title = `${title} · payments-sandbox`
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
  /** The content reaches the edges: for tables. */
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

/** Names and values; what is null is left out. */
export const Facts = ({ rows }: { rows: readonly (readonly [name: string, value: Child | null | undefined])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** What to do next, with a command that works as it stands. */
export const Empty = ({ title, children, curl }: { title: string; children?: Child; curl?: string | undefined }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children === undefined ? null : <p>{children}</p>}
    {curl === undefined ? null : <Code text={curl} label="Terminal" what="the command" />}
  </div>
)

/** For an address that leads to no view. */
export const NotFound = () => (
  <>
    <Head title="Page not found" />
    <Empty title="There is no page at this address.">
      Go to the <a href={link()}>overview</a>.
    </Empty>
  </>
)

export const Failure = ({ error }: { error: Refusal }) => (
  <div class="failure" role="alert">
    <p>{error.message}</p>
    <FailureDetails error={error} />
  </div>
)

/** A list is told item by item. */
const told = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map((item) => (typeof item === 'string' ? item : mistake(item)))

/** One of a scenario file, as the command line tells it: `6:5: steps[2]: what is wrong`. */
function mistake(item: unknown): string {
  const { line, column, path, message } = (item ?? {}) as Record<string, unknown>
  if (typeof message !== 'string') return JSON.stringify(item)
  const place = typeof line === 'number' ? `line ${line}, column ${column ?? 1}: ` : ''
  return `${place}${typeof path === 'string' && path !== '' ? `${path}: ` : ''}${message}`
}

export const FailureDetails = ({ error }: { error: Refusal }) => {
  const details = Object.entries(error.details).flatMap(([name, value]) => told(value).map((text) => [name, text]))
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

/** The answer of a query, or what is to be said while there is none. */
export function Loaded<T>({ of, children }: { of: Query<T>; children: (data: T) => Child }) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== undefined) return <Failure error={of.error} />
  return <p class="loading">Loading…</p>
}
