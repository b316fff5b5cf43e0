/** The page with the largest charges in BRL. */
import {
  control,
  Empty,
  Head,
  link,
  Money,
  Panel,
  useLayoutEffect,
  useState,
  type View,
} from '../../src/inside/pages.js'
import type { LargestCharge } from './routes.js'

const LargestView = () => {
  const [charges, setCharges] = useState<readonly LargestCharge[]>([])
  useLayoutEffect(() => {
    void control.call<{ data: LargestCharge[] }>('GET', '/largest?currency=BRL').then(({ data }) => setCharges(data))
  }, [])
  return (
    <>
      <Head title="Largest charges" />
      <Panel>
        {charges.length === 0 ? (
          <Empty title="No charge yet" />
        ) : (
          <ol>
            {charges.map(({ transaction_id, amount, currency }) => (
              <li key={transaction_id}>
                <a href={link('transactions', transaction_id)}>{transaction_id}</a>{' '}
                <Money amount={amount} currency={currency} />
              </li>
            ))}
          </ol>
        )}
      </Panel>
    </>
  )
}

export const largestViews: Readonly<Record<string, View>> = {
  largest: { view: LargestView, place: { group: 'Money', label: 'Largest', key: 'z', icon: 'transactions' } },
}
