/** Reads a file that was exported from a sandbox. */
import { readFileSync } from 'node:fs'
import { codeOf } from '../../platform/node/durable-file.js'
import { Failure } from '../errors.js'

/** Throws a `Failure` that says what is wrong with the file. */
export function readSnapshotFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : 'it cannot be read'
    throw new Failure(`the snapshot ${file} is unusable: ${why}`)
  }
}
