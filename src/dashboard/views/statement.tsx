/** The statement of an account: its postings with the balance after each, since a week ago unless a filter says otherwise. */
import type { RouteAnswer } from '../../client/control.js'
import type { StatementEntry } from '../../client/types/control.js'
import { currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import { adminToken, baseUrl } from '../api.js'
import { controlCurl } from '../curl.js'
import { sentence } from '../format.js'
import { Filters } from '../parts/filters.js'
import { Empty, Facts, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, RowLink, ShortId, Table } from '../parts/table.js'
import { Money, None, Optional } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

/** The newest entries that are shown. */
const shownEntries = 500
const weekMs = 7 * 86_400_000
const defaultCurrency = currencyNames[0]

export const StatementView = ({ route, id }: { route: Route; id: string }) => {
  const clock = useQuery('GET /clock', {}, ['workspace'])
  return <Loaded of={clock}>{({ now }) => <StatementOf route={route} username={id} weekAgo={dayBefore(now)} />}</Loaded>
}

const dayBefore = (now: string) => new Date(Date.parse(now) - weekMs).toISOString().slice(0, 10)

const StatementOf = ({ route, username, weekAgo }: { route: Route; username: string; weekAgo: string }) => {
  const chosen = route.query.get('currency') ?? ''
  const currency = isCurrency(chosen) ? chosen : defaultCurrency
  const to = route.query.get('to') ?? ''
  const query = { currency, from: route.query.get('from') || weekAgo, ...(to === '' ? {} : { to }) }
  const statement = useQuery('GET /accounts/{username}/statement', { params: { username }, query }, watched)
  const path = `/accounts/${encodeURIComponent(username)}/statement?${new URLSearchParams({ ...query, format: 'csv' })}`
  return (
    <>
      <Head title={`Statement of ${username}`} crumb={{ href: link('accounts'), text: 'Accounts' }}>
        {adminToken === null ? (
          <a class="button" href={`${baseUrl}/_sandbox${path}`} download={`${username}-${currency}.csv`}>
            Download CSV
          </a>
        ) : null}
      </Head>
      <Filters route={route} filters={filters} />
      <Loaded of={statement}>
        {(answer) => <Entries statement={answer} currency={currency} curl={controlCurl('GET', path)} />}
      </Loaded>
    </>
  )
}

const watched = ['transaction', 'dispute', 'account', 'workspace']

const filters = [
  { name: 'currency', label: 'Currency', choices: currencyNames },
  { name: 'from', label: 'From (default: a week ago)' },
  { name: 'to', label: 'To' },
]

const Entries = ({ statement, currency, curl }: { statement: Statement; currency: string; curl: string }) => {
  const { opening, entries, closing } = statement
  const shown = entries.slice(-shownEntries)
  return (
    <Panel flush={shown.length > 0} title={`${entries.length} postings in ${currency}`}>
      <Facts
        rows={[
          ['Opening', String(opening)],
          ['Closing', String(closing)],
          ['Shown', shown.length < entries.length ? `the last ${shown.length}; the CSV has all` : null],
        ]}
      />
      {shown.length === 0 ? (
        <Empty title="No postings in this period" curl={curl} />
      ) : (
        <Table label="Postings" columns={columns} rows={shown} keyOf={keyOf} at={({ date }) => date} />
      )}
    </Panel>
  )
}

const keyOf = ({ entry_id, type, amount, balance }: StatementEntry) => `${entry_id} ${type} ${amount} ${balance}`

const columns: readonly Column<StatementEntry>[] = [
  { name: 'Amount', alignEnd: true, card: 'title', cell: ({ amount }) => <Money amount={amount} /> },
  {
    ...{ name: 'Type', card: 'sub' },
    cell: ({ transaction_id: id, type }) =>
      id === null ? sentence(type) : <RowLink href={link('transactions', id)}>{sentence(type)}</RowLink>,
  },
  { name: 'external_id', spare: 'small', cell: ({ external_id: id }) => <Optional text={id} /> },
  {
    ...{ name: 'Transaction', spare: 'medium' },
    cell: ({ transaction_id: id }) => (id === null ? <None /> : <ShortId id={id} noun="the transaction id" />),
  },
  { name: 'Balance', alignEnd: true, card: 'badge', cell: ({ balance }) => <Money amount={balance} /> },
  { name: 'Time', alignEnd: true, card: 'aside', cell: ({ time }) => <span class="num">{time}</span> },
]
