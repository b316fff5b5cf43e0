/** `payments-sandbox stop` and `status`: the sandboxes in the background, which `start --detach` started, no others. */
import { setTimeout as pause } from 'node:timers/promises'
import { seconds } from '../../protocol/platform/limits.js'
import { addJsonFlag, type CommandFile, type ConnectionFlags, connect, namedUrl } from '../command.js'
import {
  type DetachedRecord,
  deleteRecord,
  hasEnded,
  processAt,
  processState,
  recordsAt,
  runningRecords,
} from '../detached.js'
import { exitCodes, Failure, UsageError } from '../errors.js'
import { withProgress } from '../terminal/progress.js'

interface Flags extends ConnectionFlags {
  all?: true
}

/** Longest wait for the end: running work can take ten seconds to finish; two more seconds mean that something is wrong. */
const stopTimeoutMs = 12_000

export const stop: CommandFile = {
  usages: {
    stop: {
      jsonOutputs: [{ shape: 'stopped' }],
      examples: { 'payments-sandbox stop --all': 'stop all background sandboxes' },
    },
  },
  define(command) {
    command
      .option('--url <address>', 'sandbox at this URL (PAYMENTS_SANDBOX_URL; default: the only one)')
      .option('--all', 'stop all background sandboxes')
    addJsonFlag(command).action(async (flags: Flags) => {
      const running = await runningRecords()
      const chosen = flags.all === true ? running : await chosenOf(running, flags)
      for (const one of chosen) await withProgress(`stopping ${one.base_url}`, () => stopProcess(one))
      const stopped = chosen.map(({ base_url, pid }) => ({ base_url, pid }))
      const lines = stopped.map(({ base_url }) => `${base_url} has stopped\n`)
      process.stdout.write(flags.json === true ? `${JSON.stringify({ stopped })}\n` : lines.join(''))
    })
  },
}

async function chosenOf(running: DetachedRecord[], flags: Flags): Promise<DetachedRecord[]> {
  if (namedUrl(flags) === undefined) {
    if (running.length === 1) return running
    if (running.length > 1)
      throw new UsageError(
        `${running.length} sandboxes run in the background (${running.map((one) => one.base_url).join(', ')}); choose one with --url, or use --all`,
      )
  }
  const { url } = connect(flags)
  const found = recordsAt(running, url)
  if (found.length > 0) return found
  // This call fails with the right exit code if nothing answers at that URL.
  await connect(flags).call('GET /health')
  throw new Failure(`the sandbox at ${url} was not started with --detach; stop it where it runs`)
}

async function stopProcess(one: DetachedRecord): Promise<void> {
  if ((await processState(one)) === 'unclear')
    throw new Failure(
      `cannot verify that process ${one.pid} is the sandbox at ${one.base_url}; if it is, stop that process yourself (log: ${one.log})`,
    )
  process.kill(one.pid, 'SIGTERM')
  const untilMs = performance.now() + stopTimeoutMs
  while (!hasEnded(one)) {
    if (performance.now() > untilMs)
      throw new Failure(
        `${one.base_url} (process ${one.pid}) did not stop within ${seconds(stopTimeoutMs)}; see ${one.log}`,
      )
    await pause(50)
  }
  deleteRecord(one)
}

export const status: CommandFile = {
  usages: {
    status: {
      jsonOutputs: [{ shape: 'runningSandboxes' }],
      examples: { 'payments-sandbox status': 'list the sandboxes that run in the background' },
    },
  },
  define(command) {
    command.option('--url <address>', 'sandbox at this URL (default: all)')
    addJsonFlag(command).action(async (flags: ConnectionFlags) => {
      const all = await runningRecords()
      const running = flags.url === undefined ? all : recordsAt(all, connect(flags).url)
      if (running.length === 0) process.exitCode = exitCodes.unreachable
      const data = running.map(({ mark: _mark, admin_token: _token, ...one }) => one)
      const lines = data.map(
        ({ base_url, pid, db, started_at }) => `${base_url}  process ${pid}  ${db}  since ${started_at}\n`,
      )
      const text = flags.json === true ? `${JSON.stringify({ data })}\n` : lines.join('')
      process.stdout.write(text === '' ? await noneText(flags) : text)
    })
  },
}

/** A sandbox that was started otherwise may answer at the address. */
async function noneText(flags: ConnectionFlags): Promise<string> {
  const { url } = connect(flags)
  const where = flags.url === undefined ? '' : ` at ${flags.url}`
  const answers = await processAt({ base_url: url }).then(
    () => true,
    () => false,
  )
  const next = answers
    ? `the sandbox that answers at ${url} was started without --detach`
    : 'start one with payments-sandbox start --detach'
  return `no sandbox runs in the background${where}; ${next}\n`
}
