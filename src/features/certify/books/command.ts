/** `payments-sandbox certify books`: compares a ledger with the statement of an account, and reports the result of each rule. */
import { type Command, Option } from 'commander'
import type { BooksReport } from '../../../inside/client.js'
import { asUsage, connect, UsageError, withProgress } from '../../../inside/commands.js'
import { readInputFile, readStandardInput } from '../../../inside/node.js'
import { bytesWithin, mapRows } from '../../../inside/values.js'
import { booksOptions } from '../options.js'
import { rejectedAsUsage, sandboxFlags } from '../receiver/command.js'
import { certificates } from '../report/files.js'
import { addOptions, endWith, exitHelp, givenIn } from '../report/flags.js'
import { reportText } from '../report/text.js'
import { maxBooksBytes } from './column-names.js'
import { decodeBooks, mediaTypeOfBooks } from './decode-books.js'
import { booksRules } from './rules.js'

interface Flags {
  url?: string
  sandbox?: string
  adminToken?: string
  workspace?: string
}

/** The given options as parameters of the route. */
const queryOf = (flags: object): Record<string, string> => mapRows(givenIn(booksOptions, flags), String)

export function defineCertifyBooks(command: Command): void {
  command
    .summary('compare your ledger with an account statement')
    .description(`compare your ledger with an account statement; ${exitHelp}`)
    .argument('[file]', 'your ledger as CSV or JSON; - reads standard input')
    .option('--url <address>', 'address of your ledger, instead of a file')
  addOptions(command, booksOptions)
  certificates.addFlags(command)
  command.addOption(
    new Option('--sandbox <address>', 'address of the sandbox (PAYMENTS_SANDBOX_URL)').helpGroup('Which sandbox:'),
  )
  for (const [flag, help] of sandboxFlags.slice(1))
    command.addOption(new Option(flag, help).helpGroup('Which sandbox:'))
  command.action(async (file: string | undefined, flags: Flags) => {
    if ((file === undefined) === (flags.url === undefined))
      throw new UsageError('certify books requires a file or --url; give one of them')
    await certificates.check(flags)
    const what = file ?? flags.url ?? ''
    const report = await rejectedAsUsage(() => withProgress('comparing the ledger', () => certify(what, flags)))
    await certificates.write(flags, { side: 'books', what, report }, () => textOf(what, report))
    endWith(report)
  })
}

async function certify(what: string, flags: Flags): Promise<BooksReport> {
  const { sandbox: url, adminToken, workspace } = flags
  const sandbox = connect({ url, adminToken, workspace })
  const text = decodeBooks(await (flags.url === undefined ? fileOf(what) : download(what)))
  return sandbox.call<BooksReport>('POST', '/certify/books', text, {
    contentType: mediaTypeOfBooks(text),
    query: queryOf(flags),
  })
}

const fileOf = (file: string): Promise<Uint8Array> =>
  asUsage(() => (file === '-' ? readStandardInput('books') : readInputFile('books', file)))

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
  const below = `${matched} of ${total} entries agree; transactions with a missing entry: ${unbooked}\n`
  return reportText(what, report, { rules: booksRules, language: 'node', below })
}
