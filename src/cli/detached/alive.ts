/** Whether what a record names still runs, by the sandbox's own word, else by what the system says of the process. No other program is asked. */
import { readFileSync } from 'node:fs'
import { codeOf, stepInto } from '../../base/unknown.js'
import { connectControl } from '../../client/control.js'
import { UnreachableError } from '../../client/errors.js'
import { httpSend } from '../connection/http-send.js'

/** A sandbox that is busy answers later; then the system is asked. */
const patienceMs = 1000

interface Named {
  base_url: string
  admin_token?: string | undefined
}

/** What a record says of its process. */
interface Detached extends Named {
  pid: number
  started_at: string
  /** Stands in its title. */
  mark: string
}

/** Which process answers there; null where nobody may know. Throws `UnreachableError` where no sandbox answers. */
export async function processAt({ base_url, admin_token }: Named) {
  const sandbox = connectControl(base_url, { adminToken: admin_token, send: httpSend })
  const health = await sandbox.call('GET /health', { signal: AbortSignal.timeout(patienceMs) })
  return health.process ?? null
}

/** `unclear`: a process of that number lives, and neither the sandbox nor the system says which one it is. */
export async function stateOf(one: Detached): Promise<'running' | 'gone' | 'unclear'> {
  if (!isAlive(one.pid)) return 'gone'
  const word = await wordOf(one)
  if (word === 'itself') return 'running'
  const title = titleOf(one.pid)
  if (title !== null) return title.includes(one.mark) ? 'running' : 'gone'
  return word === 'another' ? 'gone' : 'unclear'
}

/** Whether it has ended, or is about to: a process that nobody waits for keeps its number without its title. */
export const hasEnded = ({ pid, mark }: Detached): boolean => !isAlive(pid) || titleOf(pid)?.includes(mark) === false

async function wordOf(one: Detached): Promise<'itself' | 'another' | 'silent'> {
  try {
    const found = await processAt(one)
    if (found === null) return 'silent'
    return found.pid === one.pid && found.started_at === one.started_at ? 'itself' : 'another'
  } catch (error) {
    const isSilent = !(error instanceof UnreachableError) || codeOf(stepInto(error, 'cause')) === 'ECONNRESET'
    return isSilent ? 'silent' : 'another'
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user lives, too.
    return codeOf(error) === 'EPERM'
  }
}

/** As the process calls itself, empty for one that is gone; null where the system keeps no such list. */
function titleOf(pid: number): string | null {
  const read = (name: number | 'self') => readFileSync(`/proc/${name}/cmdline`, 'utf8')
  try {
    return read(pid)
  } catch {
    try {
      return read('self') === '' ? null : ''
    } catch {
      return null
    }
  }
}
