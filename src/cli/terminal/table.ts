/** Aligned columns and name-value lists for people. */
import { bold, dim, isTerminal, replaceControls } from './style.js'

export interface Column<Row> {
  title: string
  of: (row: Row) => string | number | null | undefined
  /** Colors the padded cell; receives the bare value too. */
  paint?: (value: string, text: string) => string
  align?: 'right'
  /** A shorter form of the value, for a terminal that is too narrow for all columns. */
  short?: (value: string) => string
}

/** `22:02:11` in UTC of a time in ISO 8601 with any offset. */
export function shortTime(value: string): string {
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? value : new Date(ms).toISOString().slice(11, 19)
}

const cellText = (value: string | number | null | undefined) =>
  value === null || value === undefined || value === '' ? '-' : replaceControls(String(value)).replace(/[\n\t]/g, ' ')

/** Ends with a line break; without rows, it is `empty`. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string =>
  rows.length === 0 ? `${dim(empty)}\n` : new GrowingTable(columnsThatFit(columns, rows)).add(rows)

const gap = 2
/** Narrower columns of text would say nothing. */
const narrowest = 12

/**
 * Returns the columns as they fit into the terminal: short forms first, then without empty columns, then without those
 * that the remaining width does not hold. The first columns are the most useful. Without a terminal, all of them.
 */
export function columnsThatFit<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  keepsEmpty = false,
): readonly Column<Row>[] {
  const available = isTerminal(process.stdout) ? process.stdout.columns : Number.POSITIVE_INFINITY
  const widthOf = (column: Column<Row>) =>
    Math.max(column.title.length, ...rows.map((row) => cellText(column.of(row)).length))
  const total = (all: readonly Column<Row>[]) => all.reduce((sum, one) => sum + widthOf(one) + gap, -gap)
  if (total(columns) <= available) return columns
  const shortened = columns.map((one) => ({
    ...one,
    of: (row: Row) => one.short?.(cellText(one.of(row))) ?? one.of(row),
  }))
  if (total(shortened) <= available) return shortened
  const filled = shortened.filter((one) => keepsEmpty || rows.some((row) => cellText(one.of(row)) !== '-'))
  const fitting: Column<Row>[] = []
  let left = available
  for (const column of filled) {
    const width = widthOf(column)
    if (width > left && !(column.align === undefined && left >= narrowest && column === filled.at(-1))) continue
    fitting.push(width <= left ? column : { ...column, of: (row) => cut(cellText(column.of(row)), left) })
    left -= Math.min(width, left) + gap
  }
  return fitting
}

const cut = (text: string, width: number) => (text.length <= width ? text : `${text.slice(0, width - 1)}…`)

/** A table that is printed in parts. Columns grow, so that later parts stay aligned with earlier ones where they can. */
export class GrowingTable<Row> {
  readonly #widths: number[]
  #hasTitles = false

  constructor(
    readonly columns: readonly Column<Row>[],
    minWidth = 0,
  ) {
    this.#widths = columns.map(({ title }) => Math.max(title.length, minWidth))
  }

  /** Returns the lines of the rows; before the first ones, the titles. */
  add(rows: readonly Row[]): string {
    const cells = rows.map((row) => this.columns.map((column) => cellText(column.of(row))))
    for (const line of cells)
      line.forEach((cell, at) => {
        this.#widths[at] = Math.max(this.#widths[at] ?? 0, cell.length)
      })
    const lines = cells.map((line) => this.#lineOf(line, (column, value, text) => column.paint?.(value, text) ?? text))
    if (!this.#hasTitles) lines.unshift(bold(this.#lineOf(this.columns.map(({ title }) => title))))
    this.#hasTitles = true
    return lines.map((line) => `${line}\n`).join('')
  }

  #lineOf(
    cells: readonly string[],
    paint: (column: Column<Row>, value: string, text: string) => string = (_column, _value, text) => text,
  ): string {
    const last = this.columns.length - 1
    return this.columns
      .map((column, at) => {
        const value = cells[at] ?? ''
        const text =
          at === last && column.align !== 'right' ? value : padded(value, this.#widths[at] ?? 0, column.align)
        return paint(column, value, text)
      })
      .join('  ')
      .trimEnd()
  }
}

function padded(text: string, width: number, align: 'right' | undefined): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width)
}

/** `name  value` lines; rows without a value are left out. */
export function formatFields(
  rows: readonly (readonly [string, string | number | null | undefined])[],
  indent = '',
): string {
  const present = rows.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...present.map(([name]) => name.length))
  return present
    .map(([name, value]) => `${indent}${dim(name.padEnd(width))}  ${replaceControls(String(value))}\n`)
    .join('')
}
