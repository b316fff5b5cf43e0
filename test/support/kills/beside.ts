/** Programs beside the sandbox that are killed too: one whose admin token is rotated, and a recorder between callers and the sandbox. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '../folder.js'
import { send } from '../http.js'
import { launch, printed, startProgram } from '../program.js'
import { readLog } from '../recorder.js'
import { secretsOf } from '../signing.js'
import { type Call, callersOf } from './calls.js'
import type { Act } from './moments.js'
import { baseOf } from './world.js'

const firstToken = 'the-first-token-of-this-test'

/** After a kill the newest token that was answered is valid, unless a later rotation was not answered; older ones never are. */
export const rotate: Act = async ({ chance }) => {
  const folder = temporaryFolder()
  const args = ['--db', join(folder, 'sandbox.db'), '--admin-token', firstToken]
  const first = await startProgram(args)
  const tokens = [firstToken]
  let isUnanswered = false
  const rotating = async () => {
    for (;;) {
      isUnanswered = true
      const headers = { 'X-Sandbox-Admin-Token': tokens.at(-1) ?? '' }
      const { status, body } = await send('POST', `${first.url}/_sandbox/admin-token`, undefined, headers)
      if (status !== 200) throw new Error(`the rotation was answered with ${status}`)
      tokens.push(body.admin_token)
      isUnanswered = false
    }
  }
  const [rotated] = await Promise.all([rotating().catch((error: Error) => error.message), killSoon(first, chance)])
  const found = /^the rotation/.test(rotated) ? [rotated] : []
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'latin1')
    if (tokens.some((token) => text.includes(token))) found.push(`${name} contains an admin token`)
  }
  const second = await startProgram(args)
  const statuses: number[] = []
  for (const token of tokens) {
    const headers = { 'X-Sandbox-Admin-Token': token }
    statuses.push((await send('GET', `${second.url}/_sandbox/ledger`, undefined, headers)).status)
  }
  const last = statuses.pop() ?? 0
  if (statuses.some((status) => status !== 401)) found.push(`a token that was replaced is valid: ${statuses}`)
  if (last !== 200 && !(isUnanswered && last === 401)) found.push(`the newest admin token is answered with ${last}`)
  const left = readdirSync(folder).filter((name) => !/^sandbox\.db(\.admin-token|-wal|-journal)?$/.test(name))
  if (left.length > 0) found.push(`the next start leaves ${left}`)
  await second.stop('SIGKILL')
  if (found.length > 0) throw new Error(found.join('; '))
}

async function killSoon({ stop }: { stop(signal: 'SIGKILL'): Promise<unknown> }, chance: () => number): Promise<void> {
  await pause(chance() * 200)
  await stop('SIGKILL')
}

/** After a kill the recording is a whole file with everything that was in it before, and no secret is in any file beside it. */
export const record: Act = async (trial, world) => {
  const { chance, program } = trial
  const folder = join(dirname(trial.file), 'recordings')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'calls.har')
  const child = launch(['record', '--target', program.url, '--out', file, '--json'])
  const closed = new Promise((resolve) => child.once('close', resolve))
  const calls = new Map<string, Call>()
  // Some recorders are killed while they start, on the file of an earlier one.
  const isReady = chance() < 0.8
  let asked = Promise.resolve()
  if (isReady) {
    const { url } = JSON.parse(await printed(child, /\n/))
    const callers = callersOf(baseOf(world, url), chance, calls)
    const isOver = () => false
    const mayRefuse = () => true
    asked = callers.run(4, isOver, mayRefuse).catch(() => undefined)
  }
  await pause(chance() * 500)
  const before = entriesIn(file)
  child.kill('SIGKILL')
  await Promise.all([asked, closed])
  for (const [name, call] of calls) world.calls.set(name, call)
  const after = entriesIn(file)
  const found: string[] = []
  if (after === null && (isReady || before !== null)) found.push('the recording is gone or cannot be read')
  // A recorder that starts replaces an earlier recording by an empty one.
  else if (isReady && before?.some((entry, at) => entry !== after?.[at])) found.push('an entry is lost or was changed')
  const most = 1 + [...calls.values()].reduce((sum, { steps }) => sum + 1 + steps.length, 0)
  if (isReady && (after?.length ?? 0) > most) found.push(`${after?.length} entries are recorded of ${most} calls`)
  const secrets = Object.values(secretsOf('merchant'))
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    if (secrets.some((secret) => text.includes(secret))) found.push(`${name} contains a secret`)
  }
  if (found.length > 0) throw new Error(found.join('; '))
}

/** The entries of a recording as text; null if there is none, or if it is read while it is written. */
function entriesIn(file: string): string[] | null {
  try {
    return readLog(file).entries.map((entry) => JSON.stringify(entry))
  } catch {
    return null
  }
}
