/** What runs in the background: one small file for each, in the folder where a user's programs keep their state. */
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { writeOutput } from '../../runtime/node/files/output.js'
import { reasonOf } from '../../runtime/node/files/unusable.js'
import { Failure } from '../errors.js'
import { stateOf } from './alive.js'

const record = z.strictObject({
  base_url: z.string(),
  pid: z.int().positive(),
  /** Stands in the title of the process, so that another one that got the same pid is never taken for it. */
  mark: z.string(),
  db: z.string(),
  log: z.string(),
  /** By the sandbox's own word: with the pid, it names the process. */
  started_at: z.string(),
  /** Where it asks for one; the file is readable by its owner alone. */
  admin_token: z.string().optional(),
})
export type DetachedRecord = z.output<typeof record>

export function stateFolder(): string {
  const { PAYMENTS_SANDBOX_STATE_FOLDER, XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (PAYMENTS_SANDBOX_STATE_FOLDER) return PAYMENTS_SANDBOX_STATE_FOLDER
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'payments-sandbox')
  return join(XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'payments-sandbox')
}

const fileOf = (mark: string) => join(stateFolder(), `${mark}.json`)
export const logFileOf = (mark: string) => join(stateFolder(), `${mark}.log`)

/** Set for the process in the background: the mark that its title is to bear. */
export const markVariable = 'PAYMENTS_SANDBOX_DETACHED_MARK'

/** In the background itself: takes on the title by which `stop` knows it. */
export function bearMark(): void {
  const mark = process.env[markVariable]
  if (mark !== undefined) process.title = `payments-sandbox ${mark}`
}

/** Makes the folder, readable by its owner alone. Throws `Failure`. */
export function prepareFolder(): void {
  const folder = stateFolder()
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new Failure(
      `the state folder ${folder} cannot be used (${reasonOf(error)}): name another with PAYMENTS_SANDBOX_STATE_FOLDER`,
    )
  }
}

export async function keepRecord(one: DetachedRecord): Promise<void> {
  await writeOutput({ file: fileOf(one.mark), kind: 'record' }, JSON.stringify(one))
}

export function forgetRecord({ mark }: DetachedRecord): void {
  rmSync(fileOf(mark), { force: true })
  rmSync(logFileOf(mark), { force: true })
}

/** Those that still run, or of which nobody can say, oldest first; what is left of the others is cleared away. */
export async function runningRecords(): Promise<DetachedRecord[]> {
  const all = recordFiles().flatMap((file) => readRecord(join(stateFolder(), file)) ?? [])
  const states = await Promise.all(all.map(stateOf))
  const gone = all.filter((_one, place) => states[place] === 'gone')
  for (const one of gone) forgetRecord(one)
  return all.filter((one) => !gone.includes(one)).sort((a, b) => (a.started_at < b.started_at ? -1 : 1))
}

/** Those at an address, whatever its path. */
export const recordsAt = (records: readonly DetachedRecord[], url: string): DetachedRecord[] =>
  records.filter((one) => new URL(one.base_url).host === new URL(url).host)

function recordFiles(): string[] {
  try {
    return readdirSync(stateFolder()).filter((file) => file.endsWith('.json'))
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
