/** Reads a file that was exported from a sandbox. */
import { readFileSync } from 'node:fs'
import { snapshotFault } from '../../platform/node/start-errors.js'
import { Failure } from '../errors.js'

/** Throws a `Failure` that says what is wrong with the file. */
export function readSnapshotFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Failure(snapshotFault(file, error))
  }
}
