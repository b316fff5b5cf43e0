/** Tables that become cards where they are narrow, grouped by day, with rows that can be selected. */
import { type Child, useRef } from 'hono/jsx/dom'
import { dayOf, dayTitle, shortId } from '../format.js'
import { t } from '../language.js'
import { useLayoutEffect } from '../store/hooks.js'
import { useNow } from '../store/query.js'
import { link } from '../store/route.js'
import { CopyButton, WrappedText } from './text.js'

export interface Column<T> {
  name: string
  /** Aligns the cell to the right, for numbers. */
  alignEnd?: boolean
  /** Place of the cell on a card, which shows no other cells. A table without such cells stays a table. */
  card?: 'title' | 'badge' | 'sub' | 'aside' | 'line'
  /** Hidden in tables of this width and narrower ones. */
  spare?: 'small' | 'medium' | 'large'
  cell: (row: T) => Child
}

/** The link of a row to its object: a click anywhere in the row follows it. */
export const RowLink = ({ href, id, children }: { href: string; id?: string; children: Child }) => (
  <a class="row-link" href={href}>
    {children}
    {id === undefined ? null : <span class="visually-hidden"> {id}</span>}
  </a>
)

/** An id, of which a list draws the beginning and the end; it is read and copied whole. With a `noun` it has a button for that. */
export const ShortId = ({ id, noun }: { id: string; noun?: string }) => (
  <span class="id short-id">
    <code title={id} data-short={shortId(id)}>
      <span class="visually-hidden">{id}</span>
    </code>
    {noun === undefined ? null : <CopyButton text={id} noun={noun} />}
  </span>
)

const idPattern = /(\b(?:tx|evt|req)_\w+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b)/

/** Views of objects, by the beginning of their ids; that of a dispute has no name. */
const viewOfId: Readonly<Record<string, string>> = { tx: 'transactions', evt: 'webhooks', req: 'requests' }

/** The address of the object with an id; undefined for other words. */
export const addressOf = (id: string) =>
  idPattern.exec(id)?.[0] === id ? link(viewOfId[id.slice(0, id.indexOf('_'))] ?? 'disputes', id) : undefined

/** A text in which ids lead to their objects. */
export const Linked = ({ text }: { text: string }) => (
  <>
    {text.split(idPattern).map((part) => {
      const href = addressOf(part)
      return href === undefined ? (
        <WrappedText>{part}</WrappedText>
      ) : (
        <a href={href}>
          <ShortId id={part} />
        </a>
      )
    })}
  </>
)

/** What only a card shows, which leaves out the column for it. */
export const OnCard = ({ children }: { children: Child }) => <span class="on-card">{children}</span>

/** A second line for a column that a table of medium width leaves out. */
export const OnMedium = ({ children }: { children: Child }) => <span class="on-medium">{children}</span>

/** A table without its rows. */
export interface TableSpec<T> {
  /** Accessible name. */
  label: string
  columns: readonly Column<T>[]
  keyOf: (row: T) => string
  /** Key of the row that stands beside the table. */
  shown?: string | undefined
  /** Moment of a row: rows of one day stand under its name. */
  at?: (row: T) => string
  /** The heading under which neighboring rows stand, instead of a day. */
  groupOf?: (row: T) => string
}

export interface Selection {
  chosen: ReadonlySet<string>
  /** `range`: with all rows since the one that was chosen last. */
  choose: (key: string, range: boolean) => void
  chooseAll: (on: boolean) => void
}

export function Table<T>(props: TableSpec<T> & { rows: readonly T[]; selection?: Selection | undefined }) {
  const { label, columns, rows, keyOf, at, groupOf, selection, shown: shownKey } = props
  const nowMs = useNow()
  const pickColumn: Column<T> = {
    name: 'Select',
    cell: (row) => <Pick name={t`Select ${keyOf(row)}`} selection={selection} id={keyOf(row)} />,
  }
  const shown = selection === undefined ? columns : [pickColumn, ...columns]
  const groups = rows.map((row) => groupOf?.(row) ?? (at === undefined ? '' : dayOf(Date.parse(at(row)))))
  // Where most days have a single row, their names would be half of the list.
  const byDay = groupOf === undefined && at !== undefined && new Set(groups).size * 2 <= rows.length + 1
  return (
    <table
      aria-label={label}
      class={`${columns.some(({ card }) => card !== undefined) ? 'cards' : ''}${byDay ? ' by-day' : ''}`}
    >
      <thead>
        <tr>
          {shown.map((column) => (
            <th key={column.name} scope="col" class={classOf(column)}>
              {column.name === 'Select' ? (
                <PickAll rows={rows.length} selection={selection} />
              ) : (
                <span class={column.name === 'Actions' ? 'visually-hidden' : undefined}>{column.name}</span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.flatMap((row, index) => [
          ...(!(byDay || groupOf) || groups[index] === groups[index - 1]
            ? []
            : [
                <tr key={groups[index]} class="day">
                  <th scope="rowgroup" colSpan={shown.length}>
                    {byDay ? dayTitle(Date.parse(groups[index] ?? ''), nowMs) : groups[index]}
                  </th>
                </tr>,
              ]),
          <tr key={keyOf(row)} class={`data${keyOf(row) === shownKey ? ' shown' : ''}`} data-key={keyOf(row)}>
            {shown.map((column) => (
              <td key={column.name} data-name={column.name} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>,
        ])}
      </tbody>
    </table>
  )
}

const classOf = ({ name, alignEnd, card, spare }: Pick<Column<never>, 'name' | 'alignEnd' | 'card' | 'spare'>) =>
  [
    name === 'Select' ? 'pick' : '',
    alignEnd === true ? 'end' : '',
    card ?? '',
    spare === undefined ? '' : `spare-${spare}`,
  ]
    .filter((word) => word !== '')
    .join(' ')

const Pick = ({ name, id, selection }: { name: string; id: string; selection: Selection | undefined }) => (
  <input
    type="checkbox"
    aria-label={name}
    checked={selection?.chosen.has(id) === true}
    onClick={(event: MouseEvent) => selection?.choose(id, event.shiftKey)}
  />
)

const PickAll = ({ rows, selection }: { rows: number; selection: Selection | undefined }) => {
  const box = useRef<HTMLInputElement>(null)
  const chosen = selection?.chosen.size ?? 0
  const all = chosen === rows
  useLayoutEffect(() => {
    if (box.current !== null) box.current.indeterminate = chosen > 0 && !all
  })
  return (
    <label>
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all rows of this page"
        checked={all}
        onClick={() => selection?.chooseAll(!all)}
      />
      <span class="on-card">Select all rows of this page</span> <span class="off-card">All</span>
    </label>
  )
}
