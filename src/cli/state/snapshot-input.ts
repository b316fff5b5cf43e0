/** Reads a file that was exported from a sandbox. */
import { accessSync, constants, createReadStream, readFileSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { codeOf } from '../../platform/node/durable-file.js'
import { Failure } from '../errors.js'

/** Throws a `Failure` that says what is wrong with the file. */
export const readSnapshotFile = (file: string): string => orFailure(file, () => readFileSync(file, 'utf8'))

/** The same without reading it into memory. */
export function openSnapshotFile(file: string): ReadableStream<Uint8Array> {
  // What cannot be read fails here, and not in the middle.
  orFailure(file, () => requireReadable(file))
  // Node's own streams of the web, which its `fetch` takes.
  return Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
}

function requireReadable(file: string): void {
  accessSync(file, constants.R_OK)
  if (statSync(file).isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
}

function orFailure<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : 'it cannot be read'
    throw new Failure(`the snapshot ${file} is unusable: ${why}`)
  }
}
