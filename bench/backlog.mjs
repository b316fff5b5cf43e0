/** The age of webhooks while 30 callers create, pay and read charges on a durable file. All webhooks go to one receiver. `npm run torture -- --only backlog` does the same for longer. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { startProgram } from './process.mjs'
import { ask, callsOf, here, inFolder, program } from './sandbox.mjs'

const callers = 30
const secondsOfLoad = Number(process.env.BENCH_BACKLOG_SECONDS ?? 60)
/** Webhooks may arrive this long after the load has ended. */
const graceMs = 1000

export async function measure(wants, report) {
  const { paid, seconds, oldestMs, unsentAtEnd, unsentLater } = await webhooksUnderLoad(secondsOfLoad)
  console.log(`${callers} callers: ${Math.round(paid / seconds)} charges created, paid and read a second on a file`)
  console.log(`${unsentAtEnd} of ${paid} webhooks unsent when the load ends`)
  if (wants('backlog')) report('backlog', oldestMs / 1000)
  if (wants('backlog-left')) report('backlog-left', unsentLater)
}

/** `oldestMs` is the highest age of a webhook at its arrival. `unsentLater` counts the webhooks that are missing one second after the load. */
export const webhooksUnderLoad = (seconds) =>
  inFolder(async (folder) => {
    const receivers = await startProgram([here('receiver.mjs'), '1'])
    const flags = ['--clock', 'realtime', '--no-rate-limits', '--webhook-url', `${receivers.base}/hook`]
    const sandbox = await startProgram([
      program,
      ...['start', '--port', '0', '--json', '--db', join(folder, 'backlog.sqlite'), ...flags],
    ])
    const calls = await callsOf(sandbox.base, sandbox.ready.accounts[0].credentials[0])
    const arrivals = () => ask(`${receivers.base}/done`, 'GET')
    await ask(`${receivers.base}/plan`, 'POST', { status: 200, expected: 0 })
    const endsAtMs = performance.now() + seconds * 1000
    const counts = await Promise.all(Array.from({ length: callers }, () => caller(sandbox.base, calls, endsAtMs)))
    const paid = counts.reduce((sum, count) => sum + count, 0)
    const atEnd = await arrivals()
    await new Promise((resolve) => setTimeout(resolve, graceMs))
    const later = await arrivals()
    await sandbox.stop()
    const { oldestMs } = await arrivals()
    await receivers.stop()
    return { seconds, paid, oldestMs, unsentAtEnd: paid - atEnd.got, unsentLater: paid - later.got }
  })

/** Calls over a raw socket, which takes little CPU from the sandbox. Resolves with the number of charges paid. */
function caller(base, calls, endsAtMs) {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let [pending, step, paid, externalId] = ['', 0, 0, '']
    const steps = [
      () => calls.cashin(JSON.stringify({ amount: 5, currency: 'BRL', external_id: externalId })),
      () => calls.pay(externalId),
      () => calls.balance(),
    ]
    const next = () => {
      if (step === 0 && performance.now() > endsAtMs) return socket.end()
      if (step === 0) externalId = randomUUID()
      socket.write(steps[step]())
    }
    socket.setNoDelay(true)
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('close', () => resolve(paid))
    socket.on('data', (chunk) => {
      pending += chunk.latin1Slice()
      const end = pending.indexOf('\r\n\r\n')
      const size = end + 4 + Number(/content-length: (\d+)/i.exec(pending.slice(0, Math.max(end, 0)))?.[1] ?? 0)
      if (end < 0 || pending.length < size) return
      if (pending.slice(9, 12) !== '200') return reject(new Error(pending))
      pending = pending.slice(size)
      if (step === 1) paid++
      step = (step + 1) % steps.length
      next()
    })
  })
}
