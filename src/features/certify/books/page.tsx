/** Certifies a ledger: compares a file with the statement of an account, and shows each rule and each mistake. */
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
import { type BooksOption, booksOption, booksOptionNames, pairExample } from '../options.js'
import { CertifyHead, Requirements } from '../report/results.js'

type Mistake = BooksReport['mistakes'][number]

/** As typed. */
type Options = Partial<Record<BooksOption, string>>

/** An entry as the API takes it. */
const sampleEntry = { external_id: 'order-1041', type: 'charge', currency: 'BRL', amount: '149.90' }

async function certify(file: File, query: Record<string, string>): Promise<BooksReport> {
  const { decodeBooks, mediaTypeOfBooks } = await import('./decode-books.js')
  const text = decodeBooks(new Uint8Array(await file.arrayBuffer()))
  return control.call('POST', '/certify/books', text, { contentType: mediaTypeOfBooks(text), query })
}

export const BooksView = () => {
  const usernames = (useAccounts().data?.data ?? []).map(({ username }) => username)
  const { result: report, error, busy, run } = useWork<BooksReport>('ledger')
  const [typed, setTyped] = useState<Options>({})
  const { account = usernames[0] ?? 'merchant' } = typed
  const [file, setFile] = useState<File | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (file === undefined || busy) return
    const given = Object.entries(typed).filter(([, text]) => text !== '')
    await run(() => certify(file, { ...Object.fromEntries(given), account }))
  }
  const rowOf = (name: BooksOption, more: object) => {
    const change = (text: string) => setTyped((before) => ({ ...before, [name]: text.trim() }))
    return <FieldRow key={name} field={{ name, value: typed[name] ?? '', ...more }} onInput={change} />
  }
  const unrecognized = unrecognizedIn(error)
  const choices = usernames.length === 0 ? [account] : usernames
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
            {...{ label: 'Ledger', accept: '.csv,.json,.txt', name: file?.name, disabled: busy, choose: setFile }}
            button="Choose a CSV or JSON file"
          />
          {rowOf('account', { label: 'Account', kind: 'choice', required: true, value: account, choices })}
          <Details key={String(unrecognized !== null)} summary="Options" opened={unrecognized !== null}>
            {() => <div class="load-form">{ownOptions.map((name) => rowOf(name, describeField(name)))}</div>}
          </Details>
          <button type="submit" class="button primary" disabled={busy || file === undefined}>
            {busy ? 'Comparing…' : 'Certify'}
          </button>
        </form>
        {unrecognized !== null ? (
          <div class="failure" role="alert">
            <p>{t`No column is recognized as ${unrecognized.missing.join(', ')}. The columns are ${unrecognized.columns.join(', ')}. Name yours in Options › Columns: ${unrecognized.missing[0]}=HEADER.`}</p>
          </div>
        ) : error === null ? null : (
          <Failure error={error} />
        )}
      </Panel>
      {report === null ? <NoResults {...{ account, isChosen: file !== undefined }} /> : <Report report={report} />}
    </>
  )
}

/** The columns that the ledger lacks, and those that it has; null for another error. */
function unrecognizedIn(error: Failed | null) {
  const { missing, columns } = error?.details ?? {}
  return Array.isArray(missing) && Array.isArray(columns) ? { missing, columns } : null
}

const ownOptions = booksOptionNames.filter((name) => name !== 'account')

function describeField(name: BooksOption) {
  const { kind, help, choices } = booksOption(name)
  const example = kind === 'pairs' ? t` For example ${pairExample(name)}.` : ''
  const own = kind === 'switch' ? 'check' : kind === 'choice' ? kind : 'text'
  return { hint: `${t(`${capitalized(help)}.`)}${example}`, kind: own, choices }
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
  const note = t`Entries: ${total - matched} wrong, ${unbooked} missing, ${matched} right`
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
