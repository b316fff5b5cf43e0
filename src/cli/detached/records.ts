/** Records of the sandboxes in the background: one small file each, in the user's state folder. */
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { writeOutput } from '../../runtime/node/files/output.js'
import { reasonOf } from '../../runtime/node/files/unusable.js'
import { Failure } from '../errors.js'
import { processState } from './alive.js'

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

export function stateFolder(): string {
  const { PAYMENTS_SANDBOX_STATE_FOLDER, XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (PAYMENTS_SANDBOX_STATE_FOLDER) return PAYMENTS_SANDBOX_STATE_FOLDER
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'payments-sandbox')
  return join(XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'payments-sandbox')
}

const fileOf = (mark: string) => join(stateFolder(), `${mark}.json`)
export const logFileOf = (mark: string) => join(stateFolder(), `${mark}.log`)

/** Passes the mark for the process title to the background process. */
export const markVariable = 'PAYMENTS_SANDBOX_DETACHED_MARK'

/** Sets the title of the background process, by which `stop` identifies it. */
export function setMarkAsTitle(): void {
  const mark = process.env[markVariable]
  if (mark !== undefined) process.title = `payments-sandbox ${mark}`
}

/** Creates the folder, readable only by its owner. Throws `Failure`. */
export function prepareFolder(): void {
  const folder = stateFolder()
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new Failure(
      `the state folder ${folder} cannot be used (${reasonOf(error)}); set another with PAYMENTS_SANDBOX_STATE_FOLDER`,
    )
  }
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
