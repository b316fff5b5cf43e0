/**
 * The p99 of calls at an even pace of 300 a second, compared with a bare Hono server.
 * Of every ten calls four are charges, two payments (which send webhooks), two balances, one a list and one a withdrawal.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startFloor } from './calls.mjs'
import { rawRequest } from './load.mjs'
import { openConnections } from './paced.mjs'
import { median, startProgram } from './process.mjs'
import { charge, here, inFolder, rounds, startSandbox } from './sandbox.mjs'

const perSecond = 300
const seconds = 4

export const measure = (wants, report) =>
  inFolder(async (folder) => {
    const receivers = await startProgram([here('receiver.mjs'), '1'])
    const bare = await startProgram([here('bare.mjs')])
    const sandbox = await startSandbox(join(folder, 'latency.sqlite'), 'realtime')
    const { client_id } = sandbox.ready.accounts[0].credentials[0]
    await sandbox.control('PATCH', `/credentials/${client_id}`, { postback_url: `${receivers.base}/hook` })
    const floor = wants('floor-p99') ? await startFloor(join(folder, 'floor.sqlite'), receivers.base) : null
    const kinds = {
      bare: { base: bare.base, make: () => rawRequest(bare.base, 'POST', '/', {}, charge()) },
      sandbox: { base: sandbox.base, make: mixed(sandbox) },
      ...(floor === null ? {} : { floor: { base: floor.base, make: mixed(floor) } }),
    }
    const found = { bare: [], sandbox: [], floor: [] }
    for (let round = -1; round < rounds; round++)
      for (const [name, { base, make }] of Object.entries(kinds)) {
        const requests = Array.from({ length: perSecond * seconds }, (_, index) => make(index))
        const ms = await openConnections(base, 50).pace(requests, perSecond)
        if (round >= 0) found[name].push(p99(ms))
      }
    const inMs = (name) => `${median(found[name]).toFixed(1)} ms`
    const ofBare = (name) => median(found[name].map((value, index) => value / found.bare[index]))
    console.log(
      `p99 at ${perSecond} calls a second: ${Object.keys(kinds)
        .map((name) => `${name} ${inMs(name)}`)
        .join(', ')}`,
    )
    report('p99', ofBare('sandbox'))
    if (floor !== null) report('floor-p99', ofBare('floor'))
    for (const one of [sandbox, floor, bare, receivers]) await one?.stop()
  })

function mixed(server) {
  const unpaidIds = []
  return (index) => {
    const turn = index % 10
    if (turn === 8) return server.list()
    if (turn === 9) return server.withdrawal()
    // Pays a charge that was sent at least a second ago, so that its response has arrived.
    if ((turn === 3 || turn === 7) && unpaidIds.length > perSecond) return server.pay(unpaidIds.shift())
    if (turn === 2 || turn === 6) return server.balance()
    const external_id = randomUUID()
    unpaidIds.push(external_id)
    return server.cashin(JSON.stringify({ amount: 5, currency: 'BRL', external_id }))
  }
}

const p99 = (ms) => ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)]
