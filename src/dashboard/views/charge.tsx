/** A charge as the payer sees it. */
import { Actions } from '../parts/actions.js'
import { Empty, Head, Loaded } from '../parts/layout.js'
import { PaymentCard } from '../parts/payment.js'
import { Money, Pill } from '../parts/text.js'
import { useQuery } from '../store/query.js'
import { link } from '../store/route.js'

const methods = { pix: 'PIX', spei: 'SPEI', crypto: 'On-chain deposit' }

export const ChargeView = ({ id }: { id: string }) => {
  const query = useQuery('GET /transactions/{id}', { params: { id } }, ['transaction', 'workspace'])
  return (
    <>
      <Head
        title="Pay"
        heading="As the payer sees it"
        crumb={{ href: link('transactions', id), text: 'The transaction' }}
      />
      <Loaded of={query}>
        {(row) =>
          row.type !== 'cashin' || row.payment_info === null ? (
            <Empty title="There is nothing to pay here">Only a charge has a payer.</Empty>
          ) : (
            <section class="checkout" aria-label="Charge">
              <p class="checkout-method">{methods[row.payment_method]}</p>
              <p class="checkout-amount">
                <Money amount={row.amount} currency={row.currency} />
              </p>
              <p>
                <Pill
                  status={row.status === 'confirmed' ? 'Paid' : row.status}
                  tone={row.status === 'confirmed' ? 'ok' : undefined}
                />
              </p>
              {row.status === 'pending' ? <PaymentCard row={row} /> : null}
              <Actions
                allowed={row.allowed.filter((name) => name === 'cashin.pay' || name === 'cashin.expire')}
                id={row.transaction_id}
                kind="cashin"
              />
            </section>
          )
        }
      </Loaded>
    </>
  )
}
