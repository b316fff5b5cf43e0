/** Checks whether a detached sandbox still runs: asks the sandbox, then the operating system. Starts no other program. */
import { readFileSync } from 'node:fs'
import { codeOf, fieldAt } from '../../base/unknown.js'
import { connectControl } from '../../client/control.js'
import { UnreachableError } from '../../client/errors.js'
import { httpSend } from '../connection/http-send.js'

/** Longest wait for a response. A busy sandbox can take longer; the system is checked instead. */
const healthTimeoutMs = 1000

interface SandboxAddress {
  base_url: string
  admin_token?: string | undefined
}

/** The fields of a record that identify its process. */
interface DetachedProcess extends SandboxAddress {
  pid: number
  started_at: string
  /** Part of the process title. */
  mark: string
}

/** Returns the process that answers at the URL; null if the sandbox does not report it. Throws `UnreachableError` if no sandbox answers. */
export async function processAt({ base_url, admin_token }: SandboxAddress) {
  const sandbox = connectControl(base_url, { adminToken: admin_token, send: httpSend })
  const health = await sandbox.call('GET /health', { signal: AbortSignal.timeout(healthTimeoutMs) })
  return health.process ?? null
}

/** `unclear`: a process with that id exists, but neither the sandbox nor the system identifies it. */
export async function processState(one: DetachedProcess): Promise<'running' | 'gone' | 'unclear'> {
  if (!isAlive(one.pid)) return 'gone'
  const answer = await whoAnswers(one)
  if (answer === 'itself') return 'running'
  const title = titleOf(one.pid)
  if (title !== null) return title.includes(one.mark) ? 'running' : 'gone'
  return answer === 'another' ? 'gone' : 'unclear'
}

/** Returns whether the process has ended. A zombie process keeps its id but loses its title. */
export const hasEnded = ({ pid, mark }: DetachedProcess): boolean =>
  !isAlive(pid) || titleOf(pid)?.includes(mark) === false

async function whoAnswers(one: DetachedProcess): Promise<'itself' | 'another' | 'silent'> {
  try {
    const found = await processAt(one)
    if (found === null) return 'silent'
    return found.pid === one.pid && found.started_at === one.started_at ? 'itself' : 'another'
  } catch (error) {
    const isSilent = !(error instanceof UnreachableError) || codeOf(fieldAt(error, 'cause')) === 'ECONNRESET'
    return isSilent ? 'silent' : 'another'
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user exists too.
    return codeOf(error) === 'EPERM'
  }
}

/** Returns the process title, empty for an ended process; null if the system has no /proc. */
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
