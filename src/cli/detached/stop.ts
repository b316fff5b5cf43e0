/** `payments-sandbox stop`: ends a sandbox that `start --detach` began, and no other. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Words } from '../command.js'
import { alsoJson, type Connection, connect } from '../connection/connection.js'
import { Failure, UsageError } from '../errors.js'
import { withProgress } from '../terminal/progress.js'
import { hasEnded, stateOf } from './alive.js'
import { type DetachedRecord, forgetRecord, recordsAt, runningRecords } from './records.js'

interface Flags extends Connection {
  all?: true
}

/** What runs may take ten seconds to finish; after two more something is wrong. */
const patienceMs = 12_000

export const words: Words = {
  stop: {
    prints: [{ shape: 'stopped' }],
    examples: [{ run: 'payments-sandbox stop --all', says: 'every sandbox in the background' }],
  },
}

export function define(command: Command): void {
  command
    .option('--url <address>', 'the one at that address (default: the only one)')
    .option('--all', 'every one of them')
  alsoJson(command).action(async (flags: Flags) => {
    const running = await runningRecords()
    const chosen = flags.all === true ? running : await chosenOf(running, flags)
    for (const one of chosen) await withProgress(`${one.base_url} finishes what runs`, () => end(one))
    const stopped = chosen.map(({ base_url, pid }) => ({ base_url, pid }))
    const lines = stopped.map(({ base_url }) => `${base_url} has ended\n`)
    process.stdout.write(flags.json === true ? `${JSON.stringify({ stopped })}\n` : lines.join(''))
  })
}

async function chosenOf(running: DetachedRecord[], flags: Flags): Promise<DetachedRecord[]> {
  if (flags.url === undefined) {
    if (running.length === 1) return running
    if (running.length > 1)
      throw new UsageError(
        `${running.length} run in the background (${running.map((one) => one.base_url).join(', ')}): name one with --url, or take --all`,
      )
  }
  const { url } = connect(flags)
  const found = recordsAt(running, url)
  if (found.length > 0) return found
  // Says that nothing answers there, with the exit code for it, where that is so.
  await connect(flags).call('GET /health')
  throw new Failure(`the sandbox at ${url} was not started with --detach: end it where it runs`)
}

async function end(one: DetachedRecord): Promise<void> {
  if ((await stateOf(one)) === 'unclear')
    throw new Failure(
      `process ${one.pid} may be the sandbox at ${one.base_url}, and does not say so: end it yourself if it is; its log is ${one.log}`,
    )
  process.kill(one.pid, 'SIGTERM')
  const untilMs = performance.now() + patienceMs
  while (!hasEnded(one)) {
    if (performance.now() > untilMs)
      throw new Failure(`${one.base_url} (process ${one.pid}) does not end; see ${one.log}`)
    await pause(50)
  }
  forgetRecord(one)
}
