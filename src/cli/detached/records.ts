/** Records of the sandboxes in the background: one small file each, in the user's state folder. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeOutput } from '../../runtime/node/files/output.js'
import { stateFolder } from '../state-folder.js'
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

const fileOf = (mark: string) => join(stateFolder(), `${mark}.json`)
export const logFileOf = (mark: string) => join(stateFolder(), `${mark}.log`)

/** Passes the mark for the process title to the background process. */
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
