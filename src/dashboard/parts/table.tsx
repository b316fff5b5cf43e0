/** Tables that become cards on a narrow screen, the filters above them and the pages below. */

import type { Child } from 'hono/jsx/dom'
import { go, link, type Route } from '../store/route.js'
import { typedIn } from '../store/typed-text.js'

export interface Column<T> {
  /** Also what a cell is called when the table is shown as cards. */
  name: string
  /** Numbers are aligned at their end. */
  end?: boolean
  /** Stands beside the first cell when the table is shown as cards. */
  badge?: boolean
  cell: (row: T) => Child
}

export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
}) {
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ name, end }) => (
            <th key={name} scope="col" class={end === true ? 'end' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, end, badge, cell }) => (
              <td key={name} data-name={name} class={`${end === true ? 'end' : ''}${badge === true ? ' badge' : ''}`}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export interface Filter {
  name: string
  label: string
  choices?: readonly string[]
}

/** Filters live in the address: choosing one is going somewhere. */
export const Filters = ({ route, filters }: { route: Route; filters: readonly Filter[] }) => {
  const choose = (name: string, value: string) => {
    const query: Record<string, string> = Object.fromEntries(route.query)
    delete query.after
    go(link(...route.parts, { ...query, [name]: value }))
  }
  return (
    <search class="filters">
      {filters.map(({ name, label, choices }) => (
        <label key={name} for={`filter-${name}`}>
          <span>{label}</span>
          {choices === undefined ? (
            <input
              id={`filter-${name}`}
              type="search"
              value={route.query.get(name) ?? ''}
              spellcheck={false}
              onKeyDown={(event: KeyboardEvent) => {
                if (event.key === 'Enter') choose(name, typedIn(event).trim())
              }}
              onBlur={(event: FocusEvent) => {
                const value = typedIn(event).trim()
                if (value !== (route.query.get(name) ?? '')) choose(name, value)
              }}
            />
          ) : (
            <select
              id={`filter-${name}`}
              value={route.query.get(name) ?? ''}
              onChange={(event: Event) => choose(name, typedIn(event))}
            >
              <option value="">All</option>
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {choice}
                </option>
              ))}
            </select>
          )}
        </label>
      ))}
    </search>
  )
}

export const isFiltered = (route: Route): boolean => [...route.query.keys()].some((key) => key !== 'after')

/** `next`: the cursor of the older page. */
export const Pager = ({ route, next }: { route: Route; next: string | null }) => {
  const { after, ...query }: Record<string, string> = Object.fromEntries(route.query)
  if (after === undefined && next === null) return null
  return (
    <nav class="pager" aria-label="Pages">
      {after === undefined ? <span /> : <a href={link(...route.parts, query)}>↑ Newest</a>}
      {next === null ? (
        <span class="faint">No older ones</span>
      ) : (
        <a href={link(...route.parts, { ...query, after: next })}>Older →</a>
      )}
    </nav>
  )
}
