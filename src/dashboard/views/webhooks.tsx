/** Events and how their delivery goes. */
import type { Page } from '../../protocol/control/fields.js'
import type { WebhookSummary } from '../../protocol/control/webhooks.js'
import { at, baseUrl } from '../api.js'
import { controlCurl } from '../curl.js'
import { NextStep } from '../parts/first-charge.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Filters, isFiltered, Pager, queryOf } from '../parts/table.js'
import { WebhookTable } from '../parts/webhook-table.js'
import { useQuery } from '../store/query.js'
import { link, type Route } from '../store/route.js'

// biome-ignore format: kind by kind
const events = [
  'cashin.confirmed', 'cashin.refunded', 'cashin.expired',
  'cashout.confirmed', 'cashout.failed', 'cashout.refunded',
  'transfer.confirmed', 'conversion.confirmed', 'conversion.refunded', 'wallet.created',
  'chargeback.opened', 'chargeback.responded', 'chargeback.confirmed', 'chargeback.won', 'chargeback.lost', 'chargeback.canceled',
]

const filters = [
  { name: 'status', label: 'Status', choices: ['pending', 'queued', 'delivered', 'failed'] },
  { name: 'event', label: 'Event', choices: events },
  { name: 'transaction_id', label: 'transaction_id' },
  { name: 'external_id', label: 'external_id' },
] as const

export const WebhooksView = ({ route }: { route: Route }) => {
  const page = useQuery<Page<WebhookSummary>>(at('/webhooks', { ...queryOf(route), limit: 25 }), [
    'webhook',
    'workspace',
  ])
  return (
    <>
      <Head title="Webhooks" />
      <Filters route={route} filters={filters} />
      <Panel flush>
        <Loaded of={page}>
          {({ data, next }) =>
            data.length === 0 ? (
              isFiltered(route) ? (
                <Empty title="No webhook matches">Choose other filters.</Empty>
              ) : (
                <NextStep
                  title="No webhook yet"
                  curl={({ client_id }) =>
                    controlCurl('PATCH', `/credentials/${client_id}`, {
                      postback_url: `${baseUrl}/_sandbox/inbox/main`,
                    })
                  }
                >
                  They are sent when a payment changes. This command sends them to the built-in{' '}
                  <a href={link('inbox')}>inbox</a>; set your own address in <a href={link('accounts')}>Accounts</a>.
                </NextStep>
              )
            ) : (
              <>
                <WebhookTable rows={data} />
                <Pager route={route} next={next} count={data.length} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
