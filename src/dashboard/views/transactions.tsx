/** All transactions, filtered, a page at a time. */
import { currencyNames } from '../../protocol/platform/currencies.js'
import { operations } from '../../protocol/platform/limits.js'
import { statusesOf } from '../../protocol/platform/transitions.js'
import { FirstCharge } from '../parts/first-charge.js'
import { NewButtons } from '../parts/forms/new-buttons.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Filters, isFiltered, Pager } from '../parts/tables/table.js'
import { TransactionTable } from '../parts/tables/transactions.js'
import { type Filter, useList } from '../store/list.js'
import type { Route } from '../store/route.js'

const filters: readonly Filter<'GET /transactions'>[] = [
  { name: 'type', label: 'Type', choices: operations },
  {
    name: 'status',
    label: 'Status',
    choices: statusesOf(...operations),
  },
  { name: 'currency', label: 'Currency', choices: currencyNames },
  { name: 'external_id', label: 'external_id' },
  { name: 'account', label: 'Account' },
]

export const TransactionsView = ({ route }: { route: Route }) => {
  const page = useList('GET /transactions', route, filters, ['transaction', 'workspace'])
  return (
    <>
      <Head title="Transactions">
        <NewButtons kinds={['charge', 'withdrawal', 'transfer', 'conversion']} />
      </Head>
      <Filters route={route} filters={filters} />
      <Panel flush>
        <Loaded of={page}>
          {({ data, next }) =>
            data.length === 0 ? (
              isFiltered(route) ? (
                <Empty title="No transaction matches">Choose other filters.</Empty>
              ) : (
                <FirstCharge title="No transaction yet" />
              )
            ) : (
              <>
                <TransactionTable rows={data} />
                <Pager route={route} next={next} count={data.length} />
              </>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
