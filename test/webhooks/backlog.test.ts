/** Webhooks under load on a file: calls and deliveries share every turn of the event loop. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/testing/index.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'
import { openReceiver } from '../support/receiver.js'

test('webhooks stay current while 30 callers create, pay and read charges on a file', async () => {
  const callers = 30
  const receiver = await openReceiver()
  const db = join(temporaryFolder(), 'sandbox.db')
  const sandbox = await startSandbox({ db, webhookUrl: receiver.url, rateLimits: false })
  onTestFinished(() => sandbox.close())
  const api = sandbox.client()
  await api.balance()
  const paid: string[] = []
  let mostUnsent = 0
  const caller = async () => {
    for (let round = 0; round < 10; round++) {
      const { transaction_id: id } = await api.cashin({ amount: 10, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', { id })
      paid.push(id)
      await api.balance()
      mostUnsent = Math.max(mostUnsent, paid.length - receiver.all.length)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  expect(mostUnsent).toBeLessThanOrEqual(3 * callers)
  await eventually(
    async () => receiver.all.length,
    (arrived) => arrived >= paid.length,
  )
  const reported = receiver.all.map(({ body }) => String(JSON.parse(body).transaction_id))
  expect(reported.toSorted()).toEqual(paid.toSorted())
})
