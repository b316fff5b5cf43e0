/** Text at a terminal: colors, protection from control characters in foreign text, aligned columns, lists of fields. */
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]
type Stream = NodeJS.WriteStream

export const isTerminal = (stream: Stream): boolean => stream.isTTY === true

/** https://no-color.org: any value of NO_COLOR switches colors off; FORCE_COLOR switches them on in a pipe. */
function isColored(stream: Stream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0'
  return isTerminal(stream) && TERM !== 'dumb'
}

export function paint(format: Format, text: string, stream: Stream = process.stdout): string {
  return isColored(stream) ? styleText(format, text, { validateStream: false }) : text
}

export const bold = (text: string) => paint('bold', text)
export const dim = (text: string) => paint('dim', text)

const greenStates = new Set([
  'confirmed',
  'completed',
  'delivered',
  'ok',
  'passed',
  'won',
  'active',
  'yes',
  'valid',
  'created',
])
const redStates = new Set([
  'failed',
  'refused',
  'lost',
  'no',
  'invalid',
  'canceled',
  'cancelled',
  'http_error',
  'timeout',
])
const yellowStates = new Set(['pending', 'queued', 'open', 'responded', 'running', 'expired', 'refunded'])

/** Paints a state: green for good, red for bad, yellow for unfinished. */
export function paintState(state: string, text = state): string {
  if (greenStates.has(state)) return paint('green', text)
  if (redStates.has(state)) return paint('red', text)
  return yellowStates.has(state) ? paint('yellow', text) : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Foreign text (payer names, bodies) cannot move the cursor or change colors. */
export const replaceControls = (text: string): string => text.replace(control, '\ufffd')

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
