/** The overview: balances, operations in progress, latest events. */

import { useState } from 'hono/jsx/dom'
import type { Account } from '../../client/types/control.js'
import { FirstCharge, NewButtons } from '../parts/first-charge.js'
import { Select } from '../parts/forms/controls.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Activity } from '../parts/plots/activity.js'
import { Table } from '../parts/table.js'
import { Countdown, Money } from '../parts/text.js'
import { useClock } from '../store/clock.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { briefTransactions } from './transactions.js'
import { briefWebhooks } from './webhooks.js'

export const OverviewView = () => {
  const transactions = useQuery('GET /transactions', { query: { limit: 8 } }, ['transaction', 'workspace'])
  const webhooks = useQuery('GET /webhooks', { query: { limit: 6 } }, ['webhook', 'workspace'])
  return (
    <>
      <Head title="Overview">
        <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />
      </Head>
      <InFlight />
      <Activity />
      <div class="columns">
        <div class="column wide">
          <Panel title="Latest transactions" tools={<a href={link('transactions')}>All</a>} flush>
            <Loaded of={transactions}>
              {({ data }) =>
                data.length === 0 ? (
                  <FirstCharge title="No transaction yet" />
                ) : (
                  <Table {...briefTransactions} rows={data} />
                )
              }
            </Loaded>
          </Panel>
          <Panel title="Latest webhooks" tools={<a href={link('webhooks')}>All</a>} flush>
            <Loaded of={webhooks}>
              {({ data }) =>
                data.length === 0 ? (
                  <Empty title="No event yet">Each change of a payment sends a webhook to the integrator.</Empty>
                ) : (
                  <Table {...briefWebhooks} rows={data} />
                )
              }
            </Loaded>
          </Panel>
        </div>
        <div class="column">
          <Balances />
        </div>
      </div>
    </>
  )
}

/** More objects than this are shown as "100+". */
const limit = 100
const countOf = (page: { data: readonly unknown[]; next: string | null } | undefined) =>
  page === undefined ? '·' : `${page.data.length}${page.next === null ? '' : '+'}`

const InFlight = () => (
  <section class="tiles" aria-label="Pending work">
    <TransactionTile name="Unpaid charges" type="cashin" />
    <TransactionTile name="Pending withdrawals" type="cashout" />
    <DisputeTile />
    <WebhookTile />
    <DueTile />
  </section>
)

const TransactionTile = ({ name, type }: { name: string; type: 'cashin' | 'cashout' }) => {
  const query = { type, status: 'pending' } as const
  const { data } = useQuery('GET /transactions', { query: { ...query, limit } }, ['transaction', 'workspace'])
  return <Tile name={name} value={countOf(data)} href={link('transactions', query)} />
}

const DisputeTile = () => {
  const { data } = useQuery('GET /disputes', { query: { status: 'open', limit } }, ['dispute', 'workspace'])
  return <Tile name="Open disputes" value={countOf(data)} href={link('disputes', { status: 'open' })} />
}

const WebhookTile = () => {
  const { data } = useQuery('GET /webhooks', { query: { status: 'pending', limit } }, ['webhook', 'workspace'])
  const failed = useQuery('GET /webhooks', { query: { status: 'failed', limit } }, ['webhook', 'workspace'])
  const note = failed.data === undefined || failed.data.data.length === 0 ? null : `${countOf(failed.data)} failed`
  return (
    <Tile
      name="Undelivered webhooks"
      value={countOf(data)}
      note={note}
      href={link('webhooks', { status: 'pending' })}
    />
  )
}

const DueTile = () => {
  const clock = useClock()
  return (
    <div class="tile">
      <span class="tile-name">Scheduled jobs</span>
      <span class="tile-value num">{clock?.due ?? '·'}</span>
      <span class="tile-note">
        {clock?.next_due == null ? (
          'none'
        ) : (
          <>
            next in <Countdown iso={clock.next_due} over="0 s" />
          </>
        )}
      </span>
    </div>
  )
}

const Tile = ({ name, value, href, note }: { name: string; value: string; href: string; note?: string | null }) => (
  <a class="tile" href={href}>
    <span class="tile-name">{name}</span>
    <span class="tile-value num">{value}</span>
    {note == null ? null : <span class="tile-note bad-text">{note}</span>}
  </a>
)

const Balances = () => {
  const accounts = useQuery('GET /accounts', {}, ['transaction', 'dispute', 'account', 'workspace'])
  const [chosen, choose] = useState('')
  return (
    <Loaded of={accounts}>
      {({ data }) => {
        const account = data.find(({ username }) => username === chosen) ?? data[0]
        const names = data.map(({ username }) => username)
        const select = (
          <Select accessibleName="Account" value={account?.username ?? ''} choices={names} choose={choose} />
        )
        return (
          <Panel title="Balances" tools={select} flush>
            {account === undefined ? <Empty title="No account" /> : <BalanceList account={account} />}
          </Panel>
        )
      }}
    </Loaded>
  )
}

const isNothing = (amount: string) => Number(amount) === 0

/** Blocked and pending amounts are shown only if they are not zero. */
const BalanceList = ({ account }: { account: Account }) => (
  <ul class="balances">
    {Object.entries(account.balances).map(([currency, { available, blocked, pending }]) => (
      <li key={currency}>
        <span class="currency-name">{currency}</span>
        <span class="balance-amounts">
          <span class={isNothing(available) ? 'faint' : 'balance-available'}>
            <Money amount={available} />
          </span>
          {isNothing(blocked) ? null : (
            <span class="balance-part">
              <Money amount={blocked} /> blocked
            </span>
          )}
          {isNothing(pending) ? null : (
            <span class="balance-part">
              <Money amount={pending} /> pending
            </span>
          )}
        </span>
      </li>
    ))}
  </ul>
)
