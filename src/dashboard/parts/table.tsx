/** Tables that become cards on a narrow screen, with filters and pages. */

import { type Child, useRef, useState } from 'hono/jsx/dom'
import { typedIn } from '../store/form.js'
import { go, link, type Route } from '../store/route.js'
import { Button, Select } from './forms/controls.js'
import { Icon } from './icon.js'

export interface Column<T> {
  /** Column heading, and the label of the cell on a card. */
  name: string
  /** Aligns the cell to the right, for numbers. */
  alignEnd?: boolean
  /** Shown beside the first cell on a card. */
  badge?: boolean
  /** Hidden on screens of this size and smaller. */
  spare?: 'small' | 'medium'
  cell: (row: T) => Child
}

/** The first cell of a row: name and id, linked to the object. */
export const RowLink = ({ href, name, id }: { href: string; name: Child; id: Child }) => (
  <a class="row-link" href={href}>
    <strong>{name}</strong>
    <code class="faint">{id}</code>
  </a>
)

export interface RowAction {
  label: string
  /** Accessible name, followed by the name of the row. */
  name: string
  run: () => void
}

/** The last column: buttons for the actions of a row. */
export const actionColumn = <T,>(actionsOf: (row: T) => readonly RowAction[]): Column<T> => ({
  name: 'Actions',
  alignEnd: true,
  cell: (row) => (
    <span class="row end">
      {actionsOf(row).map(({ label, name, run }) => (
        <Button key={label} accessibleName={name} onClick={run}>
          {label}
        </Button>
      ))}
    </span>
  ),
})

/** A table without its rows. */
export interface TableSpec<T> {
  /** Accessible name. */
  label: string
  columns: readonly Column<T>[]
  keyOf: (row: T) => string
}

export function Table<T>({ label, columns, rows, keyOf }: TableSpec<T> & { rows: readonly T[] }) {
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" class={classOf(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.name} data-name={column.name} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const classOf = ({ alignEnd, badge, spare }: Pick<Column<never>, 'alignEnd' | 'badge' | 'spare'>) =>
  [alignEnd === true ? 'end' : '', badge === true ? 'badge' : '', spare === undefined ? '' : `spare ${spare}`]
    .filter((name) => name !== '')
    .join(' ')

export interface Filter {
  name: string
  label: string
  choices?: readonly string[]
  /** Label of the choice without a value (default: All). */
  none?: string
}

/** The filters and page of a view as query parameters. The cursors of newer pages stay in the address. */
export function queryOf(route: Route): Record<string, string> {
  const { trail: _trail, ...query }: Record<string, string> = Object.fromEntries(route.query)
  return query
}

/** Pause after typing before a filter applies. */
const typingPauseMs = 250

/** Filters are part of the address: choosing one adds a history entry, typing replaces the current one. */
export const Filters = ({ route, filters }: { route: Route; filters: readonly Filter[] }) => {
  const [folded, setFolded] = useState(true)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const choose = (name: string, value: string, delayMs = 0) => {
    if (timer.current !== null) clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const { after: _after, ...query } = queryOf(route)
      go(link(...route.parts, { ...query, [name]: value }), delayMs > 0)
    }, delayMs)
  }
  return (
    <search class={`filters${folded ? ' folded' : ''}`}>
      <button
        type="button"
        class="button fold"
        aria-expanded={folded ? 'false' : 'true'}
        onClick={() => setFolded(!folded)}
      >
        Filters{isFiltered(route) ? ' (some set)' : ''}
      </button>
      {filters.map((filter) => (
        <FilterField key={filter.name} filter={filter} value={route.query.get(filter.name) ?? ''} choose={choose} />
      ))}
      {isFiltered(route) ? (
        <button type="button" class="quiet clear" onClick={() => go(link(...route.parts))}>
          Clear filters
        </button>
      ) : null}
    </search>
  )
}

interface FilterFieldProps {
  filter: Filter
  value: string
  choose: (name: string, value: string, restedMs?: number) => void
}

const FilterField = ({ filter: { name, label, choices, none = 'All' }, value, choose }: FilterFieldProps) => (
  <label for={`filter-${name}`}>
    <span>{label}</span>
    {choices === undefined ? (
      <input
        id={`filter-${name}`}
        type="search"
        value={value}
        spellcheck={false}
        onInput={(event: Event) => choose(name, typedIn(event).trim(), typingPauseMs)}
      />
    ) : (
      <Select
        id={`filter-${name}`}
        value={value}
        choices={[['', none], ...choices]}
        choose={(chosen) => choose(name, chosen)}
      />
    )}
  </label>
)

export const isFiltered = (route: Route): boolean =>
  [...route.query.keys()].some((key) => key !== 'after' && key !== 'trail')

/** `next` is the cursor of the older page; the address has the cursors of the newer ones. */
export const Pager = ({ route, next, count }: { route: Route; next: string | null; count: number }) => {
  const { after, ...query } = queryOf(route)
  const trail = (route.query.get('trail') ?? '').split('.').filter((cursor) => cursor !== '')
  const page = (cursor: string | undefined, before: readonly string[]) =>
    link(...route.parts, { ...query, after: cursor, trail: before.join('.') })
  return (
    <nav class="pager" aria-label="Pages">
      <span class="row">
        {after === undefined ? null : (
          <>
            <a href={page(undefined, [])}>
              <Icon name="top" /> Newest
            </a>
            <a href={page(trail.at(-1), trail.slice(0, -1))}>
              <Icon name="back" /> Newer
            </a>
          </>
        )}
      </span>
      <span class="faint num">{count === 1 ? '1 row' : `${count} rows`}</span>
      {next === null ? (
        <span class="faint">End of list</span>
      ) : (
        <a href={page(next, after === undefined ? [] : [...trail, after])}>
          Older <Icon name="call" />
        </a>
      )}
    </nav>
  )
}
