/** `transactions`, `disputes`, `webhooks`, `requests`: list recent items, show one in full, or follow new ones. */
import type { Command } from 'commander'
import type { Change } from '../client/control.js'
import { UnreachableError } from '../client/errors.js'
import {
  addConnectionFlags,
  addDefaultAction,
  type ConnectionFlags,
  connect,
  type Output,
  print,
  queryOf,
  type Sandbox,
} from './command.js'
import { UsageError } from './errors.js'
import { type Column, columnsThatFit, dim, GrowingTable, isTerminal, table } from './terminal/style.js'

interface Page<Row> {
  data: Row[]
  next: string | null
}

export interface ListCommand<Row, Whole> {
  path: string
  columns: readonly Column<Row>[]
  empty: string
  /** Query parameters and their help. */
  filters: Readonly<Record<string, string>>
  /** Filters without a value, and the columns of their results. */
  switches?: Readonly<Record<string, { help: string; columns: readonly Column<Row>[]; empty: string }>>
  /** Whether a change of the stream prints a line. */
  matchesChange: (change: Change) => boolean
  idOf: (row: Row) => string
  find?: (sandbox: Sandbox, id: string) => Promise<Whole>
  format: (whole: Whole) => string
  /** Flags that run another action on the item with that id. */
  itemActions?: Readonly<
    Record<string, { help: string; run: (sandbox: Sandbox, id: string) => Promise<[value: unknown, text: string]> }>
  >
}

interface Flags extends ConnectionFlags {
  follow?: boolean
  limit?: string
}

export const jsonOutputsOfList = (list: Output['route'] & string, one: Output['route'] & string): Output[] => [
  { route: list },
  { route: one, when: 'with an ID' },
  { description: 'a row of the list for each change', when: 'with --follow' },
]

const shownRows = 20

export function defineList<Row, Whole>(command: Command, whole: ListCommand<Row, Whole>): void {
  for (const [name, help] of Object.entries(whole.filters))
    command.option(`--${name.replaceAll('_', '-')} <text>`, help)
  for (const [name, { help }] of Object.entries(whole.switches ?? {})) command.option(`--${name}`, help)
  command
    .option('--limit <number>', `number of rows (default: ${shownRows})`)
    .option('--follow', 'keep running and print new and changed entries; Ctrl-C stops it')
  for (const [name, { help }] of Object.entries(whole.itemActions ?? {})) command.option(`--${name}`, help)
  addDefaultAction<Flags & Record<string, unknown>>(addConnectionFlags(command), 1, async (id, flags) => {
    const list = applySwitch(whole, flags)
    const itemActions = Object.entries(list.itemActions ?? {})
    const itemAction = itemActions.filter(([name]) => flags[name] === true)
    if (itemAction.length > 1 || (itemAction.length === 1 && id === undefined))
      throw new UsageError(
        `--${itemAction[0]?.[0]} requires an ID, and only one of ${itemActions.map(([name]) => `--${name}`).join(' and ')} can be given`,
      )
    const query = queryOf({ ...flags }, [...Object.keys(list.filters), ...Object.keys(list.switches ?? {})])
    if (id === undefined) return flags.follow === true ? follow(list, flags, query) : page(list, flags, query)
    if (flags.follow === true || flags.limit !== undefined || Object.keys(query).length > 0)
      throw new UsageError('an ID cannot be combined with a filter, --limit or --follow')
    const sandbox = connect(flags)
    for (const [, { run }] of itemAction) {
      const [value, text] = await run(sandbox, id)
      return print(flags, value, () => text)
    }
    const find =
      list.find ?? ((at: Sandbox, one: string) => at.call<Whole>('GET', `${list.path}/${encodeURIComponent(one)}`))
    print(flags, await find(sandbox, id), list.format)
  })
}

/** Returns the list with the columns of the first switch that is set. */
function applySwitch<Row, Whole>(
  list: ListCommand<Row, Whole>,
  flags: Readonly<Record<string, unknown>>,
): ListCommand<Row, Whole> {
  const [on] = Object.entries(list.switches ?? {}).flatMap(([name, row]) => (flags[name] === true ? [row] : []))
  return on === undefined ? list : { ...list, columns: on.columns, empty: on.empty }
}

async function page<Row, Whole>(
  list: ListCommand<Row, Whole>,
  flags: Flags,
  query: Record<string, string>,
): Promise<void> {
  const rows = await connect(flags).call<Page<Row>>('GET', list.path, undefined, {
    query: { ...query, limit: flags.limit ?? String(shownRows) },
  })
  print(
    flags,
    rows,
    ({ data, next }) =>
      table(list.columns, data, list.empty) +
      (next === null ? '' : `${dim('more rows exist; show them with --limit')}\n`),
  )
}

/** Prints a line for each change, with the current state of the item, until the process is interrupted. */
async function follow<Row, Whole>(
  list: ListCommand<Row, Whole>,
  flags: Flags,
  query: Record<string, string>,
): Promise<void> {
  const sandbox = connect(flags)
  // A wrong filter is rejected now, not at the first change.
  await sandbox.call('GET', list.path, undefined, { query: { ...query, limit: '1' } })
  let growing: GrowingTable<Row> | undefined
  const printRow = (row: Row) => {
    // The first row decides which columns fit; a later one can have a value in any of them.
    growing ??= new GrowingTable(
      columnsThatFit(list.columns, [row], true),
      isTerminal(process.stdout) ? 0 : shortestCell,
    )
    process.stdout.write(flags.json === true ? `${JSON.stringify(row)}\n` : growing.add([row]))
  }
  const stop = new AbortController()
  const rows = createRowReader(sandbox, list, query, printRow, () => stop.abort())
  await untilInterrupted(stop, (signal) =>
    sandbox.stream((change) => {
      if (list.matchesChange(change)) rows.enqueue(change.id)
    }, signal),
  )
  await rows.read()
  if (!stop.signal.aborted) throw new UnreachableError(`the sandbox at ${sandbox.url} has stopped`)
}

/** Most later cells fit into this width. */
const shortestCell = 10

const pageRows = 500
/** Enough pages for the largest burst of changes that the stream buffers. */
const furthestPages = 4

/** Reads the rows of changes through the list, all rows of a burst at once. Does not print an unchanged row again. */
function createRowReader<Row, Whole>(
  sandbox: Sandbox,
  list: ListCommand<Row, Whole>,
  query: Record<string, string>,
  printRow: (row: Row) => void,
  fail: () => void,
): { enqueue: (id: string) => void; read: () => Promise<void> } {
  const transactionIds = new Set<string>()
  const printed = new Map<string, string>()
  let failed: unknown
  let reading: Promise<void> | null = null

  const printIfChanged = (id: string, row: Row) => {
    const text = JSON.stringify(row)
    if (printed.get(id) === text) return
    printed.delete(id)
    printed.set(id, text)
    if (printed.size > pageRows * furthestPages) printed.delete(printed.keys().next().value ?? '')
    printRow(row)
  }
  const readAll = async () => {
    while (transactionIds.size > 0) {
      const ids = [...transactionIds]
      transactionIds.clear()
      const found = await rowsOf(sandbox, list, query, new Set(ids))
      for (const id of ids) {
        const row = found.get(id)
        if (row !== undefined) printIfChanged(id, row)
      }
    }
  }
  const start = () => {
    reading ??= readAll()
      .catch((error: unknown) => {
        failed ??= error
        fail()
      })
      .finally(() => {
        reading = null
      })
    return reading
  }
  return {
    enqueue(id) {
      transactionIds.add(id)
      void start()
    },
    async read() {
      await start()
      if (failed !== undefined) throw failed
    },
  }
}

/** Returns the rows with these ids that match the filters; searches from the newest on. */
async function rowsOf<Row, Whole>(
  sandbox: Sandbox,
  list: ListCommand<Row, Whole>,
  query: Record<string, string>,
  ids: ReadonlySet<string>,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>()
  let after: string | null | undefined
  for (let page = 0; page < furthestPages && after !== null && found.size < ids.size; page++) {
    const input = { query: { ...query, limit: String(pageRows), after } }
    const answer: Page<Row> = await sandbox.call('GET', list.path, undefined, input)
    for (const row of answer.data) if (ids.has(list.idOf(row))) found.set(list.idOf(row), row)
    after = answer.next
  }
  return found
}

/** Runs the work until it ends or a signal aborts it; the signal is not an error. */
export async function untilInterrupted(
  stop: AbortController,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const end = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  try {
    await work(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, end)
  }
}
