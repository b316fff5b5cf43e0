/** The statement of an account: its postings with the balance after each, one page at a time, newest first. */
import type { RouteAnswer } from '../../client/control.js'
import type { StatementEntry } from '../../client/types/control.js'
import { currencyNames, isCurrency } from '../../protocol/platform/currencies.js'
import { type EntryType, postingName } from '../../protocol/platform/entry-types.js'
import { adminToken, baseUrl } from '../api.js'
import { sentence } from '../format.js'
import { t } from '../language.js'
import { Filters, Pager, rowsText } from '../parts/filters.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, OnCard, RowLink, Table } from '../parts/table.js'
import { Money, TimeOfDay } from '../parts/text.js'
import { Reference } from '../parts/transactions.js'
import { controlCurl } from '../platform-api.js'
import { pageRows, useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'

type Statement = RouteAnswer<'GET /accounts/{username}/statement'>

const defaultCurrency = currencyNames[0]

export const StatementView = ({ route, id: username }: { route: Route; id: string }) => {
  const given = Object.fromEntries([...route.query].filter(([name, value]) => value !== '' && isParameter(name)))
  const { currency = defaultCurrency, after, ...days } = given
  // The statement has other days unless it is asked for those of all pages.
  const period = { ...days, currency: isCurrency(currency) ? currency : defaultCurrency, time_zone: 'UTC' }
  const query = { ...period, limit: pageRows, ...(after === undefined ? {} : { after }) }
  const statement = useQuery('GET /accounts/{username}/statement', { params: { username }, query }, watched)
  const path = `/accounts/${encodeURIComponent(username)}/statement?${new URLSearchParams({ ...period, format: 'csv' })}`
  return (
    <>
      <Head title={t`Statement of ${username}`} crumb={{ href: link('accounts'), text: 'Accounts' }}>
        {adminToken === null ? (
          <a
            class="button"
            href={`${baseUrl}/_sandbox${path}`}
            download={`${username}-${period.currency}-${period.time_zone}.csv`}
          >
            Download CSV
          </a>
        ) : null}
      </Head>
      <Filters
        {...{ route, filters }}
        rows={statement.data?.entries.map(({ date }) => ({ from: date, to: date })) ?? []}
      />
      <Loaded of={statement}>
        {(page) => <Postings {...{ page, route }} currency={period.currency} curl={controlCurl('GET', path)} />}
      </Loaded>
    </>
  )
}

const isParameter = (name: string) => ['currency', 'from', 'to', 'after'].includes(name)

const watched = ['transaction', 'dispute', 'account', 'workspace']

const filters = [
  { name: 'currency', label: 'Currency', choices: currencyNames, chips: true, base: defaultCurrency, words: String },
  { name: 'from', label: 'From day', date: true },
  { name: 'to', label: 'To day', date: true },
]

interface PostingsProps {
  page: Statement
  route: Route
  currency: string
  curl: string
}

const Postings = ({ page: { opening, entries, closing, next = null }, route, currency, curl }: PostingsProps) => (
  <Panel
    flush={entries.length > 0}
    title={t`Postings in ${currency}`}
    tools={
      <span class="faint small">
        Opening <Money amount={String(opening)} /> · Closing <Money amount={String(closing)} /> · Times in UTC
      </span>
    }
  >
    {entries.length === 0 ? (
      <Empty title="No postings in this period" curl={curl} />
    ) : (
      <>
        <Table label="Postings" columns={columns} rows={entries} keyOf={keyOf} at={momentOf} />
        <Pager route={route} next={next}>
          {rowsText(entries.length)}
        </Pager>
      </>
    )}
  </Panel>
)

const momentOf = ({ date, time }: StatementEntry) => `${date}T${time}Z`

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
  { name: 'Time', alignEnd: true, card: 'aside', cell: (row) => <TimeOfDay iso={momentOf(row)} /> },
]
