/** The user's state folder: records of sandboxes in the background, and the local certificate authority. */
import { accessSync, constants, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonOf } from '../runtime/node/files/input.js'
import { Failure } from './errors.js'

export function stateFolder(): string {
  const { PAYMENTS_SANDBOX_STATE_FOLDER, XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (PAYMENTS_SANDBOX_STATE_FOLDER) return PAYMENTS_SANDBOX_STATE_FOLDER
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? homedir(), 'payments-sandbox')
  if (XDG_STATE_HOME) return join(XDG_STATE_HOME, 'payments-sandbox')
  return folderAtHome() ?? temporaryState()
}

/** Returns undefined if the user has no home folder or cannot write there. */
function folderAtHome(): string | undefined {
  try {
    const folder = join(homedir(), '.local', 'state', 'payments-sandbox')
    if (!existsSync(folder)) accessSync(homedir(), constants.W_OK)
    return folder
  } catch {
    return undefined
  }
}

/** Throws `Failure` if somebody else could have put files there. */
function temporaryState(): string {
  const uid = process.getuid?.()
  const folder = join(tmpdir(), `payments-sandbox-${uid}`)
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || (found.isDirectory() && found.uid === uid && isPrivate(found.mode))) return folder
  throw new Failure(
    `the folder ${folder} belongs to another user or is open to others; set another with PAYMENTS_SANDBOX_STATE_FOLDER`,
  )
}

/** Whether only the owner can read or write a file with this mode. Windows has no such modes. */
export const isPrivate = (mode: number): boolean => process.platform === 'win32' || (mode & 0o077) === 0

/** Creates the folder, or one in it, readable only by its owner. Throws `Failure`. */
export function prepareFolder(name = ''): void {
  const folder = join(stateFolder(), name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new Failure(
      `the state folder ${folder} cannot be used (${reasonOf(error)}); set another with PAYMENTS_SANDBOX_STATE_FOLDER`,
    )
  }
}
