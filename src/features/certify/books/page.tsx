/** Certifies a ledger: compares a file with the statement of an account, and shows each rule and each mistake. */
import type { Child } from 'hono/jsx/dom'
import type { BooksReport } from '../../../inside/client.js'
import {
  Button,
  type Column,
  control,
  controlCurl,
  Details,
  dateOf,
  Empty,
  type Failed,
  Failure,
  FieldRow,
  FileDrop,
  link,
  Money,
  None,
  Optional,
  Panel,
  ShortId,
  said,
  sentence,
  Table,
  t,
  useAccounts,
  useState,
  useWork,
  WrappedText,
} from '../../../inside/pages.js'
import { postingName } from '../../../inside/platform.js'
import { capitalized } from '../../../inside/values.js'
import { type BooksOption, booksOption, pairExample } from '../options.js'
import { CertifyHead, Requirements } from '../report/results.js'
import { type BookColumn, bookColumnNames } from './column-names.js'

type Mistake = BooksReport['mistakes'][number]

/** As typed. */
type Options = Partial<Record<BooksOption, string>>

/** The header that was chosen for a column. */
type Chosen = Partial<Record<BookColumn, string>>

/** An entry as the API takes it. */
const sampleEntry = { external_id: 'order-1041', type: 'charge', currency: 'BRL', amount: '149.90' }

async function textOf(file: File): Promise<string> {
  const { decodeBooks } = await import('./decode-books.js')
  return decodeBooks(new Uint8Array(await file.arrayBuffer()))
}

async function certify(file: File, query: Record<string, string>): Promise<BooksReport> {
  const { mediaTypeOfBooks } = await import('./decode-books.js')
  const text = await textOf(file)
  return control.call('POST', '/certify/books', text, { contentType: mediaTypeOfBooks(text), query })
}

/** A file that cannot be read has none; the API says why. */
async function headersOf(file: File): Promise<string[]> {
  const { headersIn } = await import('./decode-books.js')
  const headers = await textOf(file)
    .then(headersIn)
    .catch(() => [])
  return [...new Set(headers)].filter((header) => header !== '')
}

/** In the form of the API, in which a comma ends a pair; it ignores punctuation in headers. */
const pairsOf = (chosen: Chosen): string =>
  Object.entries(chosen)
    .filter(([, header]) => header !== '')
    .map(([column, header]) => `${column}=${header.replaceAll(',', ' ')}`)
    .join(',')

export const BooksView = () => {
  const usernames = (useAccounts().data?.data ?? []).map(({ username }) => username)
  const { result: report, error, busy, run } = useWork<BooksReport>('ledger')
  const [typed, setTyped] = useState<Options>({})
  const { account = usernames[0] ?? 'merchant' } = typed
  const [file, setFile] = useState<File | undefined>(undefined)
  const [headers, setHeaders] = useState<readonly string[]>([])
  const [chosen, setChosen] = useState<Chosen>({})
  const change = (name: BooksOption, text: string) => setTyped((before) => ({ ...before, [name]: text.trim() }))
  const choose = async (next: File) => {
    setFile(next)
    setHeaders(await headersOf(next))
    setChosen({})
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (file === undefined || busy) return
    const options = headers.length === 0 ? typed : { ...typed, columns: pairsOf(chosen) }
    const given = Object.entries(options).filter(([, text]) => text !== '')
    await run(() => certify(file, { ...Object.fromEntries(given), account }))
  }
  const choices = usernames.length === 0 ? [account] : usernames
  const accountField = { name: 'account', label: 'Account', kind: 'choice', required: true, value: account } as const
  return (
    <>
      <CertifyHead title="Certify your ledger" report={report} />
      <Panel>
        <p>
          Compares your ledger with the statement of an account. Your ledger needs columns for transaction_id or
          external_id, type, currency and amount.
        </p>
        <form class="certify" onSubmit={submit}>
          <FileDrop
            {...{ label: 'Ledger', accept: '.csv,.json,.txt', name: file?.name, disabled: busy, choose }}
            button="Choose a CSV or JSON file"
          />
          <FieldRow field={{ ...accountField, choices }} onInput={(text) => change('account', text)} />
          <OwnOptions {...{ typed, change, headers, chosen, setChosen }} opened={unrecognizedIn(error) !== null} />
          <button type="submit" class="button primary" disabled={busy || file === undefined}>
            {busy ? 'Comparing…' : 'Certify'}
          </button>
        </form>
        <Unreadable error={error} />
      </Panel>
      {report === null ? <NoResults {...{ account, isChosen: file !== undefined }} /> : <Report report={report} />}
    </>
  )
}

const Unreadable = ({ error }: { error: Failed | null }) => {
  const unrecognized = unrecognizedIn(error)
  if (error === null || unrecognized === null) return error && <Failure error={error} />
  return (
    <div class="failure" role="alert">
      <p>{t`No column is recognized as ${unrecognized.missing.join(', ')}. The columns are ${unrecognized.columns.join(', ')}. Choose yours in Options › Columns.`}</p>
    </div>
  )
}

/** The columns that the ledger lacks, and those that it has; null for another error. */
function unrecognizedIn(error: Failed | null) {
  const { missing, columns } = error?.details ?? {}
  return Array.isArray(missing) && Array.isArray(columns) ? { missing, columns } : null
}

const groups = [
  ['Period', 'Which days are compared.', ['from', 'to', 'time_zone']],
  ['Amounts and types', 'How your ledger writes them, if that is not clear.', ['decimal', 'types', 'minor_units']],
] as const satisfies readonly (readonly [title: string, text: string, names: readonly BooksOption[]])[]

interface ColumnsProps {
  headers: readonly string[]
  chosen: Chosen
  setChosen: (next: Chosen) => void
}

interface OwnOptionsProps extends ColumnsProps {
  typed: Options
  change: (name: BooksOption, text: string) => void
  opened: boolean
}

const OwnOptions = ({ typed, change, opened, ...columns }: OwnOptionsProps) => {
  const rowOf = (name: BooksOption) => (
    <FieldRow
      key={name}
      field={{ name, value: typed[name] ?? '', ...describeField(name) }}
      onInput={(text) => change(name, text)}
    />
  )
  return (
    <Details key={String(opened)} summary="Options" opened={opened}>
      {() => (
        <>
          <OptionGroup title="Columns" text="Name a column here if its header is not recognized.">
            {columns.headers.length === 0 ? rowOf('columns') : <ColumnChoices {...columns} />}
          </OptionGroup>
          {groups.map(([title, text, names]) => (
            <OptionGroup key={title} {...{ title, text }}>
              {names.map(rowOf)}
            </OptionGroup>
          ))}
        </>
      )}
    </Details>
  )
}

const OptionGroup = ({ title, text, children }: { title: string; text: string; children?: Child }) => (
  <fieldset class="option-group">
    <legend>{title}</legend>
    <p class="hint">{text}</p>
    <div class="load-form">{children}</div>
  </fieldset>
)

/** Columns whose names are no fields of the API. */
const columnLabels: Chosen = { debit: 'Debit', credit: 'Credit', direction: 'Direction', date: 'Date' }

const ColumnChoices = ({ headers, chosen, setChosen }: ColumnsProps) =>
  bookColumnNames.map((name) => (
    <FieldRow
      key={name}
      field={{
        ...{ name, label: columnLabels[name], kind: 'choice', choices: headers, value: chosen[name] ?? '' },
        placeholder: 'By its header',
      }}
      onInput={(header) => setChosen({ ...chosen, [name]: header })}
    />
  ))

/** A day, as in the filters of lists. */
const placeholders: Options = { from: 'YYYY-MM-DD', to: 'YYYY-MM-DD' }

function describeField(name: BooksOption) {
  const { kind, help, choices } = booksOption(name)
  const example = kind === 'pairs' ? t` For example ${pairExample(name)}.` : ''
  const own = kind === 'switch' ? 'check' : kind === 'choice' ? kind : 'text'
  const hint = `${t(`${capitalized(help)}.`)}${example}`
  return { hint, kind: own, choices, placeholder: placeholders[name] } as const
}

const NoResults = ({ account, isChosen }: { account: string; isChosen: boolean }) => {
  const path = `/certify/books?account=${encodeURIComponent(account)}`
  return (
    <Panel title="Requirements" flush>
      <Empty title="No results yet" curl={controlCurl('POST', path, { entries: [sampleEntry] })}>
        {isChosen
          ? 'Press Certify, or send your entries by this command.'
          : 'Choose a file, or send your entries by this command.'}
      </Empty>
    </Panel>
  )
}

const Report = ({ report }: { report: BooksReport }) => {
  const { matched, total, unbooked } = report.entries
  const mistakesOf = (id: string) => {
    const rows = report.mistakes.filter(({ rule }) => rule === id)
    return rows.length === 0 ? null : <Mistakes rows={rows} />
  }
  const note = t`Entries: ${total - matched} wrong, ${matched} right · Transactions with a missing entry: ${unbooked}`
  return <Requirements page="books" {...{ report, note }} found={({ id }) => mistakesOf(id)} />
}

/** Mistakes that are shown at once. */
const fewMistakes = 3

const Mistakes = ({ rows }: { rows: readonly Mistake[] }) => {
  const [most, setMost] = useState(fewMistakes)
  const shown = rows.some(({ row }) => row !== null) ? columns : columns.slice(1)
  return (
    <div>
      <Table label="Mistakes" columns={shown} rows={rows.slice(0, most)} keyOf={keyOf} />
      {rows.length <= most ? null : <Button onClick={() => setMost(rows.length)}>{t`Show all ${rows.length}`}</Button>}
    </div>
  )
}

const keyOf = ({ rule, row, transaction_id: id, type }: Mistake) => `${rule} ${row} ${id} ${type}`

const columns: readonly Column<Mistake>[] = [
  {
    ...{ name: 'Row', card: 'sub' },
    cell: ({ row }) =>
      row === null ? (
        <None />
      ) : (
        <span class="num">
          <span class="on-card">Row </span>
          {row}
        </span>
      ),
  },
  {
    ...{ name: 'Transaction', card: 'title' },
    // An entry without a posting can have any id.
    cell: ({ transaction_id: id, external_id: reference, type }) =>
      id === null || type === null ? (
        <Optional text={id ?? reference} />
      ) : (
        <a href={link('transactions', id)} title={id}>
          {reference === null ? <ShortId id={id} /> : <WrappedText clamp>{reference}</WrappedText>}
        </a>
      ),
  },
  { name: 'Observed', card: 'line', cell: (mistake) => <Observed of={mistake} /> },
]

const Observed = ({ of: { type, currency, date, booked, expected, reason } }: { of: Mistake }) => {
  const amount = (value: string) => <Money amount={value} currency={currency ?? ''} />
  return (
    <>
      {sentence(type === null ? 'entry' : postingName(type))} of {amount(booked ?? expected ?? '')}
      {booked === null ? (
        t` on ${date && dateOf(Date.parse(date), null)} is not booked`
      ) : expected === null ? null : (
        <> instead of {amount(expected)}</>
      )}
      {reason === null ? null : <span class="faint"> ({said(reason)})</span>}
    </>
  )
}
