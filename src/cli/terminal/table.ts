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
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string {
  if (rows.length === 0) return `${dim(empty)}\n`
  const cells = rows.map((row) => columns.map((column) => cellText(column.of(row))))
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  )
  const head = columns.map((column, at) => padded(column.title, widths[at] ?? 0, column.align)).join('  ')
  return [bold(head.trimEnd()), ...cells.map((line) => rowText(columns, line, widths))].join('\n').concat('\n')
}

/** One line of a growing table, with given widths. */
export function rowText<Row>(
  columns: readonly Column<Row>[],
  cells: readonly string[],
  widths: readonly number[],
): string {
  return columns
    .map((column, at) => {
      const value = cells[at] ?? ''
      const text =
        at === columns.length - 1 && column.align !== 'right' ? value : padded(value, widths[at] ?? 0, column.align)
      return column.paint === undefined ? text : column.paint(value, text)
    })
    .join('  ')
    .trimEnd()
}

/** The cells of a row, ready for `rowText`. */
export const cellsOf = <Row>(columns: readonly Column<Row>[], row: Row): string[] =>
  columns.map((column) => cellText(column.of(row)))

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
