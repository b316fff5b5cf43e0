/** Writes down which rows of the tables the tests set going, in a folder that all workers of a run share. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

/** A setting is noted by its name or by what of the configuration it sets, a command as it was typed, an answer that the OpenAPI document lacks as `operation status code`. */
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

/** Names the folder in the workers' environment; whoever runs the files in several goes sets it to make them count as one. */
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
