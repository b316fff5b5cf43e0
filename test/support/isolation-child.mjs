/** One of many parallel processes: uses a sandbox like a test suite, with the seed that all processes share, and prints its observations. */
import { startSandbox } from '../../dist/index.js'

const mine = Number(process.argv[2])
const sandbox = await startSandbox({ clock: 'manual', seed: 'the same everywhere' })
const receiver = await sandbox.receiver()
const api = sandbox.client()
for (let round = 0; round < 20; round++) {
  const { transaction_id } = await api.cashin({ amount: mine, currency: 'BRL', external_id: `order-${round}` })
  await sandbox.trigger('cashin.pay', { id: transaction_id })
  await receiver.waitFor('cashin.confirmed', { transaction_id })
}
const amounts = new Set(receiver.received.map(({ data }) => data.amount))
const ledger = await sandbox.ledger()
const { length } = await sandbox.transactions.list()
await sandbox.close()
console.log(JSON.stringify({ amounts: [...amounts], transactions: length, balanced: ledger.balanced }))
