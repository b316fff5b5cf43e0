/** Events and how their delivery goes. */
import { keysOf } from '../../base/keys.js'
import type { EventName } from '../../client/types/control.js'
import { baseUrl } from '../api.js'
import { controlCurl } from '../curl.js'
import { NextStep } from '../parts/first-charge.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Filters, isFiltered, Pager } from '../parts/tables/table.js'
import { WebhookTable } from '../parts/tables/webhooks.js'
import { type Filter, useList } from '../store/list.js'
import { link, type Route } from '../store/route.js'

/** In the order of an operation's life. */
const eventTable: Record<EventName, true> = {
  'cashin.confirmed': true,
  'cashin.refunded': true,
  'cashin.expired': true,
  'cashout.confirmed': true,
  'cashout.failed': true,
  'cashout.refunded': true,
  'transfer.confirmed': true,
  'conversion.confirmed': true,
  'conversion.refunded': true,
  'wallet.created': true,
  'chargeback.opened': true,
  'chargeback.responded': true,
  'chargeback.confirmed': true,
  'chargeback.won': true,
  'chargeback.lost': true,
  'chargeback.canceled': true,
}
/** The keys of the table. */
const events = keysOf(eventTable)

const filters: readonly Filter<'GET /webhooks'>[] = [
  { name: 'status', label: 'Status', choices: ['pending', 'queued', 'delivered', 'failed'] },
  { name: 'event', label: 'Event', choices: events },
  { name: 'transaction_id', label: 'transaction_id' },
  { name: 'external_id', label: 'external_id' },
]

export const WebhooksView = ({ route }: { route: Route }) => {
  const page = useList('GET /webhooks', route, filters, ['webhook', 'workspace'])
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
