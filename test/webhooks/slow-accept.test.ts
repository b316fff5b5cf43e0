/** A receiver with two addresses that is too busy to accept a connection at once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { deliveriesOf } from '../support/deliveries.js'
import { closeAfter } from '../support/hooks.js'
import { openSandbox } from '../support/sandbox.js'

/** A server with an accept queue of one that is busy for 700 ms after each line that it reads. */
const program = `
const http = require('node:http')
const server = http.createServer((request, response) => request.resume().on('end', () => response.end('{}')))
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port))
process.stdin.on('data', () => { console.log('busy'); const untilMs = Date.now() + 700; while (Date.now() < untilMs); })`

test('a webhook to localhost waits as long for a busy receiver as a webhook to 127.0.0.1', async () => {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  closeAfter(() => void child.kill())
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  const sandbox = await deliveriesOf(
    (await openSandbox({ clock: 'manual', webhookUrl: `http://localhost:${port}/` })).url,
  )
  await sandbox.charge(['order'])
  const busy = once(child.stdout, 'data')
  child.stdin.write('now')
  await busy
  // These connections fill the queue, so the webhook's connection is accepted only when the receiver is free again.
  const others: Socket[] = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  closeAfter(() => {
    for (const other of others) other.destroy()
  })
  await sandbox.call('POST', '/trigger', { action: 'cashin.pay', id: 'order' })
  await sandbox.eventOnce('order', ({ attempts }) => attempts.length === 1)
  expect((await sandbox.event('order')).attempts).toMatchObject([{ outcome: 'ok' }])
})
