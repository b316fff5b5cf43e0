/** The sandbox at a glance: balances, what is in flight, what happened last. */

import { useState } from 'hono/jsx/dom'
import type { Account } from '../../client/types/control.js'
import { FirstCharge } from '../parts/first-charge.js'
import { NewButtons } from '../parts/forms/new-buttons.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Activity } from '../parts/plots/activity.js'
import { TransactionTable } from '../parts/tables/transactions.js'
import { WebhookTable } from '../parts/tables/webhooks.js'
import { Countdown, Money } from '../parts/text.js'
import { useClock } from '../store/clock.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { typedIn } from '../store/typed-text.js'

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
          <Panel title="Last transactions" tools={<a href={link('transactions')}>All</a>} flush>
            <Loaded of={transactions}>
              {({ data }) =>
                data.length === 0 ? <FirstCharge title="No transaction yet" /> : <TransactionTable rows={data} short />
              }
            </Loaded>
          </Panel>
          <Panel title="Last events" tools={<a href={link('webhooks')}>All</a>} flush>
            <Loaded of={webhooks}>
              {({ data }) =>
                data.length === 0 ? (
                  <Empty title="No event yet">Each change of a payment tells the integrator by webhook.</Empty>
                ) : (
                  <WebhookTable rows={data} short />
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

/** More than this many of one kind are told as "100+". */
const counted = 100
const countOf = (page: { data: readonly unknown[]; next: string | null } | undefined) =>
  page === undefined ? '·' : `${page.data.length}${page.next === null ? '' : '+'}`

const InFlight = () => {
  const clock = useClock()
  const charges = useQuery('GET /transactions', { query: { type: 'cashin', status: 'pending', limit: counted } }, [
    'transaction',
    'workspace',
  ])
  const payouts = useQuery('GET /transactions', { query: { type: 'cashout', status: 'pending', limit: counted } }, [
    'transaction',
    'workspace',
  ])
  const disputes = useQuery('GET /disputes', { query: { status: 'open', limit: counted } }, ['dispute', 'workspace'])
  const webhooks = useQuery('GET /webhooks', { query: { status: 'pending', limit: counted } }, ['webhook', 'workspace'])
  const failed = useQuery('GET /webhooks', { query: { status: 'failed', limit: counted } }, ['webhook', 'workspace'])
  return (
    <section class="tiles" aria-label="In flight">
      <Tile
        name="Charges waiting to be paid"
        value={countOf(charges.data)}
        href={link('transactions', { type: 'cashin', status: 'pending' })}
      />
      <Tile
        name="Withdrawals on their way"
        value={countOf(payouts.data)}
        href={link('transactions', { type: 'cashout', status: 'pending' })}
      />
      <Tile name="Open disputes" value={countOf(disputes.data)} href={link('disputes', { status: 'open' })} />
      <Tile
        name="Webhooks to deliver"
        value={countOf(webhooks.data)}
        note={failed.data === undefined || failed.data.data.length === 0 ? null : `${countOf(failed.data)} failed`}
        href={link('webhooks', { status: 'pending' })}
      />
      <div class="tile">
        <span class="tile-name">Due on the clock</span>
        <span class="tile-value num">{clock?.due ?? '·'}</span>
        <span class="tile-note">
          {clock?.next_due == null ? (
            'nothing to come'
          ) : (
            <>
              next in <Countdown iso={clock.next_due} over="0 s" />
            </>
          )}
        </span>
      </div>
    </section>
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
        const select = (
          <select
            aria-label="Account"
            value={account?.username ?? ''}
            onChange={(event: Event) => choose(typedIn(event))}
          >
            {data.map(({ username }) => (
              <option key={username} value={username}>
                {username}
              </option>
            ))}
          </select>
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

/** What is blocked or pending is told only where there is some. */
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
