/** Webhooks under load on a file: calls and deliveries share every turn of the event loop. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { maxPerReceiver } from '../../src/core/delivery/queue.js'
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
  /**
   * Webhooks wait while a connection opens, one at a time. If a turn of the event loop takes more than a second, as on a busy
   * machine, idle connections are closed, and others must open.
   */
  const longest = (connections: number) => 3 * callers + 4 * Math.max(0, connections - maxPerReceiver)
  let mostOverdue = 0
  const caller = async () => {
    for (let round = 0; round < 10; round++) {
      const { transaction_id: id } = await api.cashin({ amount: 10, currency: 'BRL' })
      await sandbox.trigger('cashin.pay', { id })
      paid.push(id)
      await api.balance()
      mostOverdue = Math.max(mostOverdue, paid.length - receiver.all.length - longest(receiver.connections))
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  expect(mostOverdue).toBe(0)
  await eventually(
    async () => receiver.all.length,
    (arrived) => arrived >= paid.length,
  )
  const reported = receiver.all.map(({ body }) => String(JSON.parse(body).transaction_id))
  expect(reported.toSorted()).toEqual(paid.toSorted())
})
