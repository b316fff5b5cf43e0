/** The sandboxes in the background: their records, one small file each in the user's state folder, and whether they still run. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { codeOf, fieldAt } from '../base/unknown.js'
import { connectControl } from '../client/control.js'
import { UnreachableError } from '../client/errors.js'
import { writeOutput } from '../runtime/node/files/output.js'
import { httpSend } from './command.js'
import { stateFolder } from './state-folder.js'

const record = z.strictObject({
  base_url: z.string(),
  pid: z.int().positive(),
  /** Part of the process title, so that another process with the same pid is not mistaken for it. */
  mark: z.string(),
  db: z.string(),
  log: z.string(),
  /** Start time that the sandbox reports. It identifies the process together with the pid. */
  started_at: z.string(),
  /** Admin token, only if the sandbox requires one. The file is readable only by its owner. */
  admin_token: z.string().optional(),
})
export type DetachedRecord = z.output<typeof record>

const fileOf = (mark: string) => join(stateFolder(), `${mark}.json`)
export const logFileOf = (mark: string) => join(stateFolder(), `${mark}.log`)

export const markVariable = 'PAYMENTS_SANDBOX_DETACHED_MARK'

/** Sets the title of the background process, by which `stop` identifies it. */
export function setMarkAsTitle(): void {
  const mark = process.env[markVariable]
  if (mark !== undefined) process.title = `payments-sandbox ${mark}`
}

export async function saveRecord(one: DetachedRecord): Promise<void> {
  await writeOutput({ file: fileOf(one.mark), kind: 'record' }, JSON.stringify(one))
}

export function deleteRecord({ mark }: DetachedRecord): void {
  rmSync(fileOf(mark), { force: true })
  rmSync(logFileOf(mark), { force: true })
}

/** Returns records of running or unclear processes, oldest first. Deletes the records of ended ones. */
export async function runningRecords(): Promise<DetachedRecord[]> {
  const all = recordFiles().flatMap((file) => readRecord(join(stateFolder(), file)) ?? [])
  const states = await Promise.all(all.map(processState))
  const endedFiles = all.filter((_one, place) => states[place] === 'gone')
  for (const one of endedFiles) deleteRecord(one)
  return all.filter((one) => !endedFiles.includes(one)).sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
}

/** Returns the records with the host and port of the URL. */
export const recordsAt = (records: readonly DetachedRecord[], url: string): DetachedRecord[] =>
  records.filter((one) => new URL(one.base_url).host === new URL(url).host)

function recordFiles(): string[] {
  const folder = stateFolder()
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json'))
  } catch {
    return []
  }
}

function readRecord(path: string): DetachedRecord | undefined {
  try {
    return record.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** Longest wait for a response. A sandbox that hangs gives none; the system is checked instead. */
export const healthTimeoutMs = 5000

/** Returns the process that answers at the URL; null if the sandbox does not report it. Throws `UnreachableError` if no sandbox answers. */
export async function processAt({ base_url, admin_token }: Pick<DetachedRecord, 'base_url' | 'admin_token'>) {
  const sandbox = connectControl(base_url, { adminToken: admin_token, send: httpSend })
  const health = await sandbox.call('GET /health', { signal: AbortSignal.timeout(healthTimeoutMs) })
  return health.process ?? null
}

/** `unclear`: a process with that id exists, but neither the sandbox nor the system identifies it. */
export async function processState(one: DetachedRecord): Promise<'running' | 'gone' | 'unclear'> {
  if (!isAlive(one.pid)) return 'gone'
  const answer = await whoAnswers(one)
  if (answer === 'itself') return 'running'
  const title = titleOf(one.pid)
  if (title !== null) return title.includes(one.mark) ? 'running' : 'gone'
  return answer === 'another' ? 'gone' : 'unclear'
}

/** Returns whether the process has ended. A zombie process keeps its id but loses its title. */
export const hasEnded = ({ pid, mark }: DetachedRecord): boolean =>
  !isAlive(pid) || titleOf(pid)?.includes(mark) === false

async function whoAnswers(one: DetachedRecord): Promise<'itself' | 'another' | 'silent'> {
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
