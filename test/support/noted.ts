/** Records which rows of the tables the tests use, in a folder that all workers of a run share. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** A setting is recorded by its name or its key in the configuration, a command as typed, and a response that the OpenAPI document lacks as `operation status code`. */
export type Kind =
  | 'undocumented'
  | 'file'
  | 'route'
  | 'endpoint'
  | 'error'
  | 'event'
  | 'action'
  | 'step'
  | 'setting'
  | 'command'

/** The variable that names the folder. A runner that splits the files into several runs sets it, so that they count as one. */
export const folderVariable = 'SANDBOX_TEST_ROWS'

const folder = process.env[folderVariable]
const noted = new Set<string>()

export const noteOf = (kind: Kind, name: string): string => `${kind} ${name}`

export function note(kind: Kind, name: string): void {
  const line = noteOf(kind, name)
  if (noted.has(line) || folder === undefined) return
  noted.add(line)
  appendFileSync(join(folder, `${process.pid}`), `${line}\n`)
}
