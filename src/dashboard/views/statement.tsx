/** The statement of an account: its postings with the balance after each, one page at a time, newest first. */
import type { RouteAnswer } from '../../client/control.js'
import type { StatementEntry } from '../../client/types/control.js'
import { type Currency, currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import { type EntryType, postingName } from '../../protocol/platform/entry-types.js'
import { adminToken, baseUrl } from '../api.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { Filters, Pager, rowsText } from '../parts/filters.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, OnCard, RowLink, Table } from '../parts/table.js'
import { Money } from '../parts/text.js'
import { Reference } from '../parts/transactions.js'
import { controlCurl } from '../platform-api.js'
import { pageRows, useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

const weekMs = 7 * 86_400_000
const defaultCurrency = currencyNames[0]

export const StatementView = ({ route, id: username }: { route: Route; id: string }) => {
  const clock = useQuery('GET /clock', {}, ['workspace'])
  const chosen = route.query.get('currency') ?? ''
  const currency = isCurrency(chosen) ? chosen : defaultCurrency
  const from = route.query.get('from') || (clock.data === undefined ? '' : dayBefore(clock.data.now))
  const to = route.query.get('to') ?? ''
  const period = { currency, from, ...(to === '' ? {} : { to }) }
  const path = `/accounts/${encodeURIComponent(username)}/statement?${new URLSearchParams({ ...period, format: 'csv' })}`
  return (
    <>
      <Head title={t`Statement of ${username}`} crumb={{ href: link('accounts'), text: 'Accounts' }}>
        {adminToken === null && from !== '' ? (
          <a class="button" href={`${baseUrl}/_sandbox${path}`} download={`${username}-${currency}.csv`}>
            Download CSV
          </a>
        ) : null}
      </Head>
      <Filters route={route} filters={filters} />
      {from === '' ? (
        <Loaded of={clock}>{() => null}</Loaded>
      ) : (
        <Postings {...{ route, username, period }} curl={controlCurl('GET', path)} />
      )}
    </>
  )
}

const dayBefore = (now: string) => new Date(Date.parse(now) - weekMs).toISOString().slice(0, 10)

interface PostingsProps {
  route: Route
  username: string
  period: { currency: Currency; from: string; to?: string }
  curl: string
}

const Postings = ({ route, username, period, curl }: PostingsProps) => {
  const after = route.query.get('after') ?? ''
  const query = { ...period, limit: pageRows, ...(after === '' ? {} : { after }) }
  const statement = useQuery('GET /accounts/{username}/statement', { params: { username }, query }, watched)
  return <Loaded of={statement}>{(page) => <Page {...{ page, route, curl }} currency={period.currency} />}</Loaded>
}

const watched = ['transaction', 'dispute', 'account', 'workspace']

const filters = [
  { name: 'currency', label: 'Currency', choices: currencyNames, chips: true, base: defaultCurrency, words: String },
  { name: 'from', label: 'From day', date: true },
  { name: 'to', label: 'To day', date: true },
]

interface PageProps {
  page: Statement
  route: Route
  currency: string
  curl: string
}

const Page = ({ page: { opening, entries, closing, next = null }, route, currency, curl }: PageProps) => (
  <Panel
    flush={entries.length > 0}
    title={t`Postings in ${currency}`}
    tools={
      <span class="faint small">
        Opening <Money amount={String(opening)} /> · Closing <Money amount={String(closing)} />
        <span class="on-card"> · Times in São Paulo</span>
      </span>
    }
  >
    {entries.length === 0 ? (
      <Empty title="No postings in this period" curl={curl}>
        Without a first day, the period begins a week ago.
      </Empty>
    ) : (
      <>
        <Table label="Postings" columns={columns} rows={entries} keyOf={keyOf} at={({ date }) => date} />
        <Pager route={route} next={next}>
          {rowsText(entries.length)}
        </Pager>
      </>
    )}
  </Panel>
)

/** In the time zone of the statement. */
const statementTime = ({ date, time }: StatementEntry) => (
  <span class="num">
    <span class="date">{date} </span>
    {time}
  </span>
)

const typeName = (type: EntryType) => sentence(postingName(type))

const keyOf = ({ entry_id, type, amount, balance }: StatementEntry) => `${entry_id} ${type} ${amount} ${balance}`

const columns: readonly Column<StatementEntry>[] = [
  { name: 'Amount', alignEnd: true, card: 'title', cell: ({ amount }) => <Money amount={amount} /> },
  {
    ...{ name: 'Type', card: 'sub' },
    cell: ({ transaction_id: id, external_id, type }) =>
      id === null ? (
        typeName(type)
      ) : (
        <>
          <span>
            <RowLink href={link('transactions', id)}>{typeName(type)}</RowLink>
          </span>{' '}
          <OnCard>
            <Reference row={{ external_id, transaction_id: id }} />
          </OnCard>
        </>
      ),
  },
  { name: 'Reference', spare: 'small', cell: (row) => <Reference row={row} /> },
  {
    ...{ name: 'Balance', alignEnd: true, card: 'badge' },
    cell: ({ balance }) => (
      <>
        <span class="on-card faint small">Balance </span>
        <Money amount={balance} />
      </>
    ),
  },
  { name: 'Time (São Paulo)', alignEnd: true, card: 'aside', cell: statementTime },
]
