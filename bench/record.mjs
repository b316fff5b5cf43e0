/** The time that the recorder adds to a call. Charges run at an even pace: 500 a second through a recorder, and at the same time 50 a second directly. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openConnections } from './paced.mjs'
import { median, startProgram } from './process.mjs'
import { inFolder, program, rounds, startSandbox } from './sandbox.mjs'

const perSecond = { recorded: 500, direct: 50 }
const seconds = 4

export const measure = (_wants, report) =>
  inFolder(async (folder) => {
    const sandbox = await startSandbox(':memory:', 'realtime')
    const file = join(folder, 'calls.har')
    const recorder = await startProgram([program, 'record', '--target', sandbox.base, '--out', file, '--json'])
    const bases = { direct: sandbox.base, recorded: recorder.ready.url }
    const found = { direct: [], recorded: [] }
    for (let round = -1; round < rounds; round++)
      // Both paths run at the same time, so other load on the machine affects both.
      await Promise.all(
        Object.entries(bases).map(async ([name, base]) => {
          const requests = Array.from({ length: perSecond[name] * seconds }, () => sandbox.cashin(charge()))
          const ms = await openConnections(base, 50).pace(requests, perSecond[name])
          if (round >= 0) found[name].push(median(ms))
        }),
      )
    const inMs = (name) => `${median(found[name]).toFixed(2)} ms`
    console.log(
      `median at ${perSecond.recorded} calls a second: direct ${inMs('direct')}, recorded ${inMs('recorded')}`,
    )
    report('record-added', median(found.recorded.map((value, round) => value - found.direct[round])))
    for (const one of [recorder, sandbox]) await one.stop()
  })

const charge = () =>
  JSON.stringify({
    amount: 5,
    currency: 'BRL',
    external_id: randomUUID(),
    payer: { name: `Maria ${randomUUID()}`, document: '52998224725', email: `${randomUUID()}@shop.example` },
  })
