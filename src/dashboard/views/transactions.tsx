/** Transactions: their list, and one with its story, its payment data and its next step. */

import type { Transaction, TransactionDetails } from '../../client/types/control.js'
import { currencyNames } from '../../protocol/platform/currencies.js'
import { failuresForLabel } from '../../protocol/platform/failures.js'
import { labelOf } from '../../protocol/platform/fields.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { kindName, statusName } from '../format.js'
import { Code, Qr } from '../parts/code.js'
import { detailView } from '../parts/detail-view.js'
import { ActionBar } from '../parts/forms/actions.js'
import { Details, Icon } from '../parts/forms/controls.js'
import { Facts, Failure, Fields, FirstCharge, NewButtons, Panel } from '../parts/layout.js'
import { listView } from '../parts/list-view.js'
import { DisputePill, Id, Money, Pill, WrappedText } from '../parts/text.js'
import { TransactionTimeline } from '../parts/timeline/timeline.js'
import { Amounts, titleOf, transactionTable } from '../parts/transactions.js'
import { useClock, useQuery } from '../store/query.js'
import { link, transactionsCrumb } from '../store/route.js'
import type { ObjectActivity } from '../store/timeline.js'

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null

type Charge = Extract<Transaction, { type: 'cashin' }>

const PaymentCard = ({ row }: { row: Charge }) => {
  const info: Record<string, unknown> = row.payment_info ?? {}
  const [code, address, clabe] = [info.qrcode, info.address, info.clabe].map(textOf)
  return (
    <div class="payment">
      {code == null ? null : (
        <>
          <Qr text={code} label="PIX QR code" />
          <Code text={code} label="PIX copy and paste" noun="the PIX code" />
        </>
      )}
      {address == null ? null : (
        <>
          <Qr text={address} label="Deposit address as a QR code" />
          <Facts
            rows={[
              ['Address', <Id id={address} noun="the address" />],
              ['Network', wrappedValue(info.network)],
              [labelOf('min_confirmations'), wrappedValue(info.min_confirmations)],
            ]}
          />
        </>
      )}
      {clabe == null ? null : (
        <Facts
          rows={[
            ['CLABE', <Id id={clabe} noun="the CLABE" />],
            ['Bank', wrappedValue(info.bank_name)],
            ['Beneficiary', wrappedValue(info.beneficiary_name)],
            ['Reference', wrappedValue(info.reference)],
          ]}
        />
      )}
    </div>
  )
}

const wrappedValue = (value: unknown) => {
  const text = textOf(value)
  return text === null ? null : <WrappedText>{text}</WrappedText>
}

/** Fields that another part of the view shows, or that repeat what it shows. */
const omittedFields =
  'type status amount currency payment_info history events ledger allowed due currency_type payment_method conversion_id completed_at amount_from currency_from amount_to currency_to direction'.split(
    ' ',
  )

export const [TransactionView, TransactionPreview] = detailView({
  source: 'GET /transactions/{id}',
  watch: ['transaction', 'webhook', 'dispute', 'run', 'workspace'],
  title: (row) => `${titleOf(row)} ${row.amount} ${row.currency}`,
  heading: (row) => (
    <>
      <span class="title-kind">{titleOf(row)}</span> <Amounts row={row} />{' '}
      <Pill status={row.status} of={row.type} source={row.source} />
    </>
  ),
  crumb: () => transactionsCrumb,
  actionBar: ({ row }) => (
    <ActionBar
      activity={useActivity(row)}
      id={row.transaction_id}
      kind={row.type}
      of={row}
      {...(row.type === 'cashout' ? { choices: { error_code: failuresForLabel(row) } } : {})}
    />
  ),
  main: ({ row }) => (
    <>
      <WhyFailed row={row} />
      <StoryWithCalls row={row} />
    </>
  ),
  side: ({ row }) => (
    <>
      {row.type === 'cashin' && row.payment_info != null && row.status === 'pending' ? (
        <Panel title="Waiting for the payer" tools={<PayLink url={row.pay_url} text="Payer’s page" />}>
          <PaymentCard row={row} />
        </Panel>
      ) : null}
      <Panel title="Details">
        <FactsOf row={row} />
      </Panel>
      <Disputes id={row.transaction_id} />
    </>
  ),
})

const WhyFailed = ({ row }: { row: TransactionDetails }) =>
  row.type !== 'cashout' || row.error_code === null ? null : (
    <Failure isNote error={{ code: row.error_code, message: row.error_message ?? '', status: 0, details: {} }} />
  )

const useDisputes = (id: string) =>
  useQuery('GET /disputes', { query: { transaction_id: id } }, ['dispute', 'workspace']).data?.data

/** When the runs of scenarios that use the transaction continue. */
function useRunJobs(id: string): ObjectActivity['due'] {
  const runs = useQuery('GET /runs', { query: { status: 'running' } }, ['run', 'workspace']).data?.data ?? []
  const own = runs.filter(({ vars }) => Object.values(vars).includes(id)).map((run) => run.id)
  const jobs = useQuery('GET /clock/jobs', { query: { limit: own.length === 0 ? 1 : 200 } }, ['run', 'workspace'])
  return (jobs.data?.data ?? [])
    .filter((job) => own.includes(job.id))
    .map(({ at, id: run }) => ({ job: 'scenario', at, href: link('runs', run) }))
}

/** Adds what acts on the transaction to its own jobs: runs of scenarios, and the deadline of an open dispute. */
function useActivity(row: TransactionDetails): ObjectActivity {
  const nowMs = useClock()?.nowMs ?? 0
  const disputes = useDisputes(row.transaction_id)
  const deadlines = (disputes ?? [])
    .filter(({ status, deadline_at: at }) => status === 'open' && Date.parse(at) > nowMs)
    .map((one) => ({ job: 'deadline' as const, at: one.deadline_at, href: link('disputes', one.infraction_id) }))
  const due = [...row.due, ...useRunJobs(row.transaction_id), ...deadlines]
  return { ...row, due, isPartial: disputes === undefined }
}

/** The request log is bounded, so it may no longer have the call. */
const StoryWithCalls = ({ row }: { row: TransactionDetails }) => {
  const calls = useQuery('GET /requests', { query: { transaction_id: row.transaction_id } }, ['request'])
  return (
    <TransactionTimeline
      kind={row.type}
      activity={useActivity(row)}
      calls={calls}
      transaction={row}
      payer={row.type === 'cashin' ? row.payer?.name : null}
    />
  )
}

/** What became of a fee that was not kept. */
const feeNotes: Readonly<Record<string, string>> = { expired: ', not taken', failed: ', returned' }

const moneyFields = (row: TransactionDetails) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => ['amount_requested', 'amount_refunded', 'fee'].includes(name))
      .map(([name, amount]) => [
        name,
        <span>
          <Money amount={String(amount)} currency={row.currency} />
          {name === 'fee' && Number(amount) !== 0 ? feeNotes[row.status] : ''}
        </span>,
      ]),
  )

const FactsOf = ({ row }: { row: TransactionDetails }) => {
  const shown: Record<string, unknown> = {
    ...row,
    ...moneyFields(row),
    transaction_id: <Id id={row.transaction_id} noun="the transaction id" />,
    external_id: row.external_id === null ? null : <Id id={row.external_id} noun="the external id" />,
    // The panel of a charge that waits for its payer has it.
    ...(row.type === 'cashin'
      ? { pay_url: row.status === 'pending' ? null : <PayLink url={row.pay_url} text="Open" /> }
      : {}),
    source: row.source === 'static' ? 'Fixed wallet' : null,
    // A PIX withdrawal has one proof under two names.
    ...(row.type === 'cashout' && row.hash === row.e2e_id ? { hash: null } : {}),
  }
  return (
    <>
      <Fields rows={Object.entries(shown).filter(([name]) => !omittedFields.includes(name))} />
      <Details summary="Raw JSON">
        {() => <Code text={JSON.stringify(row)} label="As the control API sends it" noun="the JSON" />}
      </Details>
    </>
  )
}

/** Opens in a new page, as the payer has no dashboard. */
const PayLink = ({ url, text }: { url: string; text: string }) => (
  <a class="outside" href={url} target="_blank" rel="noreferrer">
    {text} <Icon name="leave" />
  </a>
)

const Disputes = ({ id }: { id: string }) => {
  const rows = useDisputes(id) ?? []
  if (rows.length === 0) return null
  return (
    <Panel title="Disputes">
      <ul class="plain-list">
        {rows.map((row) => (
          <li key={row.infraction_id} class="row">
            <a href={link('disputes', row.infraction_id)}>
              <Money amount={row.amount} currency={row.currency} />
            </a>
            <DisputePill status={row.status} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

export const TransactionsView = listView({
  source: 'GET /transactions',
  title: 'Transactions',
  noMatch: 'No transaction matches',
  watch: ['transaction', 'workspace'],
  counted: operations,
  filters: [
    {
      ...{ name: 'status', label: 'Status', choices: statusesOf(...operations), chips: true },
      // The API has no confirmed conversions.
      words: (status) => (status === 'completed' ? 'Completed conversions' : statusName(status, 'Transactions')),
    },
    { name: 'type', label: 'Type', choices: operations, words: kindName },
    { name: 'currency', label: 'Currency', choices: currencyNames },
    { name: 'external_id', label: labelOf('external_id') },
    { name: 'account', label: 'Account' },
  ],
  table: transactionTable,
  preview: TransactionPreview,
  empty: () => <FirstCharge title="No transaction yet" />,
  tools: <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />,
})

// What the payer needs to pay a charge: code, address or CLABE.
