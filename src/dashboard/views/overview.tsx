/** The overview: balances, operations in progress, latest events. */
import { isInbox } from '../parts/attempts.js'
import { Select } from '../parts/forms/controls.js'
import { Empty, FirstCharge, Head, Loaded, NewButtons, Panel } from '../parts/layout.js'
import { Activity } from '../parts/plots/activity.js'
import { Table } from '../parts/table.js'
import { transactionTable } from '../parts/transactions.js'
import { useState } from '../store/hooks.js'
import { type CountedType, type Counts, countText, useCounts, useQuery } from '../store/query.js'
import { toRedeliver } from '../store/redelivery.js'
import { link } from '../store/route.js'
import { Balances } from './accounts.js'
import { webhookTable } from './webhooks.js'

export const OverviewView = () => {
  const transactions = useQuery('GET /transactions', { query: { limit: 8 } }, ['transaction', 'workspace'])
  const webhooks = useQuery('GET /webhooks', { query: { limit: 6 } }, ['webhook', 'workspace'])
  return (
    <>
      <Head title="Overview">
        <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />
      </Head>
      <Tiles />
      <Activity />
      <div class="columns">
        <Panel title="Latest transactions" tools={<a href={link('transactions')}>View all</a>} flush>
          <Loaded of={transactions}>
            {({ data }) =>
              data.length === 0 ? (
                <FirstCharge title="No transaction yet" />
              ) : (
                <Table {...transactionTable} rows={data} />
              )
            }
          </Loaded>
        </Panel>
        <BalancesPanel />
      </div>
      <Panel title="Latest webhooks" tools={<a href={link('webhooks')}>View all</a>} flush>
        <Loaded of={webhooks}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No webhook yet">
                Each change of a payment sends a webhook to your app. <a href={link('accounts')}>Set a webhook URL</a>.
              </Empty>
            ) : (
              <Table {...webhookTable} rows={data} />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

interface Tile {
  name: string
  note: string
  types: CountedType[]
  status?: string
  href: string
  /** A number over zero is no reason to worry. */
  isCalm?: true
  /** For a number that is a reason to worry if it is over zero. */
  countOf?: ((row: Counts[number]) => number) | undefined
}

const verdict = 'wrongly_accepted'
const wronglyAccepted = link('webhooks', { verdict })

/** What waits for somebody, and where to find it. */
const tiles: readonly Tile[] = [
  {
    ...{ name: 'Unpaid charges', note: 'waiting for the payer', types: ['cashin'], status: 'pending' },
    href: link('transactions', { type: 'cashin', status: 'pending' }),
  },
  {
    ...{ name: 'Pending withdrawals', note: 'waiting for the payment network', types: ['cashout'], status: 'pending' },
    href: link('transactions', { type: 'cashout', status: 'pending' }),
  },
  {
    ...{ name: 'Open disputes', note: 'waiting for your reply', types: ['dispute'], status: 'open' },
    href: link('disputes', { status: 'open' }),
  },
  {
    ...{ name: 'Failed webhooks', note: 'no retries left: redeliver by hand', types: ['webhook'], status: 'failed' },
    countOf: ({ count, rightly_refused: rightly = 0 }) => count - rightly,
    href: link('webhooks', toRedeliver),
  },
  {
    ...{ name: 'Webhooks wrongly accepted', note: 'altered webhooks: check signature and time', types: ['webhook'] },
    countOf: ({ wrongly_accepted: wrongly = 0 }) => wrongly,
    href: wronglyAccepted,
  },
]

/** Nothing to do, and nothing known. */
const failedNotes: Readonly<Record<string, string>> = { '0': 'nothing to redeliver', '': '' }

/** Instead of the tile of failed webhooks, if the newest of them had nowhere to go. */
const noUrl = {
  name: 'Webhooks not sent',
  note: 'no webhook URL is set: set one',
  href: link('accounts'),
  countOf: undefined,
}

const Tiles = () => {
  const { data } = useCounts()
  const failed = useQuery('GET /webhooks', { query: { ...toRedeliver, limit: 25 } }, ['webhook', 'workspace'])
  const rows = failed.data?.data ?? []
  const wrong = useQuery('GET /webhooks', { query: { verdict, limit: 25 } }, ['webhook', 'workspace']).data?.data ?? []
  const isByInbox = wrong.length > 0 && wrong.every(({ url }) => isInbox(url))
  const isUnset = rows.length > 0 && rows.every(({ url }) => url === null)
  const shown = tiles.map((tile) =>
    tile.status === 'failed' && isUnset
      ? { ...tile, ...noUrl }
      : isByInbox && tile.href === wronglyAccepted
        ? { ...tile, note: 'by the built-in inbox: point the webhook at your app', isCalm: true as const }
        : tile,
  )
  return (
    <section class="tiles" aria-label="Pending work">
      {shown.map(({ name, note, types, status, countOf, href, isCalm }) => {
        const count = countText(data?.data, types, status, countOf)
        const worry = countOf && Number.parseInt(count, 10)
        return status === undefined && !worry ? null : (
          <a key={name} class="tile" href={href}>
            <span class="tile-name">{name}</span>
            <span class={`tile-value num${worry && !isCalm ? ' bad-text' : ''}`}>{count || '–'}</span>
            <span class="tile-note">{countOf === undefined ? note : (failedNotes[count] ?? note)}</span>
          </a>
        )
      })}
    </section>
  )
}

const BalancesPanel = () => {
  const accounts = useQuery('GET /accounts', {}, ['transaction', 'dispute', 'account', 'workspace'])
  const [chosen, choose] = useState('')
  const rows = accounts.data?.data ?? []
  const account = rows.find(({ username }) => username === chosen) ?? rows[0]
  const names = rows.map(({ username }) => username)
  const select = <Select accessibleName="Account" value={account?.username ?? ''} choices={names} choose={choose} />
  return (
    <Panel title="Balances" tools={account === undefined ? undefined : select}>
      <Loaded of={accounts}>
        {() => (account === undefined ? <Empty title="No account" /> : <Balances account={account} />)}
      </Loaded>
    </Panel>
  )
}
