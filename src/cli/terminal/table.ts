/** Aligned columns and name-value lists for people. */
import { bold, dim, replaceControls } from './style.js'

export interface Column<Row> {
  title: string
  of: (row: Row) => string | number | null | undefined
  /** Colours the padded cell; receives the bare value too. */
  paint?: (value: string, text: string) => string
  align?: 'right'
}

const cellText = (value: string | number | null | undefined) =>
  value === null || value === undefined || value === '' ? '-' : replaceControls(String(value)).replace(/[\n\t]/g, ' ')

/** Ends with a line break; without rows, it is `empty`. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string =>
  rows.length === 0 ? `${dim(empty)}\n` : new GrowingTable(columns).add(rows)

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
