/** `payments-sandbox certify books`: compares a ledger with the statement of an account, and reports the result of each rule. */
import { type Command, Option } from 'commander'
import { bytesWithin } from '../../../base/bytes.js'
import { connect, queryOf, repeatableFlag } from '../../../cli/connection.js'
import { UsageError } from '../../../cli/errors.js'
import { withProgress } from '../../../cli/terminal/progress.js'
import type { BooksReport } from '../../../client/types/control.js'
import { readInputFile, readStandardInput, UnusableFile } from '../../../runtime/node/files/input.js'
import { rejectedAsUsage, sandboxFlags } from '../receiver/command.js'
import { endWith, exitHelp } from '../receiver/state-flags.js'
import { addReportFiles, checkReports, type ReportFlags, writeReports } from '../report/files.js'
import { conclusion, head, ruleLine } from '../report/text.js'
import { maxBooksBytes } from './column-names.js'
import { decodedBooks, typeOfBooks } from './mistake-text.js'
import { decimalMarks } from './routes.js'
import { booksRules } from './rules.js'

interface Flags extends ReportFlags {
  url?: string
  column: string[]
  type: string[]
  sandbox?: string
  adminToken?: string
  workspace?: string
}

const filters = ['account', 'from', 'to', 'decimal', 'time_zone', 'minor_units'] as const

export function defineCertifyBooks(command: Command): void {
  command
    .description(`compare your ledger with an account statement; ${exitHelp}`)
    .argument('[file]', 'your ledger as CSV or JSON; - reads standard input')
    .option('--url <address>', 'address of your ledger, instead of a file')
    .option('--account <username>', 'account of the sandbox (default: merchant)')
    .option('--from <date>', 'first day (default: no limit)')
    .option('--to <date>', 'last day, inclusive (default: no limit)')
    .addOption(repeatableFlag('--column <amount=valor>', 'map a field to a column whose header is not recognized'))
    .addOption(repeatableFlag('--type <gift=charge>', 'type of the statement that a word of the ledger means'))
    .option('--minor-units', 'amounts are whole minor units, such as 1999 for 19.99 BRL')
    .option('--time-zone <zone>', 'time zone in which the days of the ledger begin (default: America/Sao_Paulo)')
    .addOption(
      new Option('--decimal <mark>', 'decimal mark, if amounts such as 1.234 are ambiguous').choices(decimalMarks),
    )
  addReportFiles(command)
  command.addOption(
    new Option('--sandbox <address>', 'address of the sandbox (PAYMENTS_SANDBOX_URL)').helpGroup('Which sandbox:'),
  )
  for (const [flag, help] of sandboxFlags.slice(1))
    command.addOption(new Option(flag, help).helpGroup('Which sandbox:'))
  command.action(async (file: string | undefined, flags: Flags) => {
    if ((file === undefined) === (flags.url === undefined))
      throw new UsageError('certify books requires a file or --url; give one of them')
    checkReports(flags)
    const what = file ?? flags.url ?? ''
    const report = await rejectedAsUsage(() => withProgress('comparing the ledger', () => certify(what, flags)))
    await writeReports(flags, 'books', what, report)
    process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : textOf(what, report))
    endWith(report)
  })
}

async function certify(what: string, flags: Flags): Promise<BooksReport> {
  const { sandbox: url, adminToken, workspace } = flags
  const sandbox = connect({
    ...(url === undefined ? {} : { url }),
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(workspace === undefined ? {} : { workspace }),
  })
  const text = decodedBooks(flags.url === undefined ? fileOf(what) : await download(what))
  const query = {
    ...queryOf({ ...flags }, filters),
    ...(flags.column.length === 0 ? {} : { columns: flags.column.join(',') }),
    ...(flags.type.length === 0 ? {} : { types: flags.type.join(',') }),
  }
  return sandbox.call<BooksReport>('POST', '/certify/books', text, { contentType: typeOfBooks(text), query })
}

function fileOf(file: string): Uint8Array {
  try {
    return file === '-' ? readStandardInput('books') : readInputFile('books', file)
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  }
}

const downloadMs = 60_000

async function download(address: string): Promise<Uint8Array> {
  const url = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`
  const unusable = (why: string) => new UsageError(`the ledger ${url} cannot be read: ${why}`)
  if (!URL.canParse(url)) throw unusable('it is not a URL')
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(downloadMs) })
    if (!answer.ok) throw unusable(`it responded with HTTP ${answer.status}`)
    return await bytesWithin(answer.body, maxBooksBytes, () => unusable(`it is larger than ${maxBooksBytes} bytes`))
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { cause } = error as Error // `fetch` says the reason in the cause
    throw unusable(cause instanceof Error ? cause.message : String(error))
  }
}

function textOf(what: string, report: BooksReport): string {
  const { total, matched, unbooked } = report.entries
  const counts = `${matched} of ${total} entries agree; transactions with a missing entry: ${unbooked}\n`
  const lines = report.rules.map((rule) => ruleLine(rule, booksRules)).join('')
  return `${head(what)}${lines}${conclusion(report, booksRules, 'node')}${counts}`
}
