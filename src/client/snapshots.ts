/** Exports the state of a sandbox, or a stored snapshot, as one file, and imports it. */
import type { ControlClient } from './control.js'
import { UnreachableError } from './errors.js'
import type { Snapshot } from './types/control.js'

/**
 * Yields the text of the file in pieces; without a name, that of the present state. Throws `UnreachableError` if the
 * file ends too early.
 */
export async function* exportPieces(control: ControlClient, name?: string): AsyncGenerator<Uint8Array> {
  if (name !== undefined) return yield* completeFile(control, name)
  const snapshot = await saveTemporary(control)
  try {
    yield* completeFile(control, snapshot)
  } finally {
    await deleteTemporary(control, snapshot)
  }
}

/** Returns the same as one text. */
export async function exportState(control: ControlClient, name?: string): Promise<string> {
  const utf8 = new TextDecoder()
  let text = ''
  for await (const piece of exportPieces(control, name)) text += utf8.decode(piece, { stream: true })
  return text + utf8.decode()
}

/** Stores the file under a name; without one, it replaces the present state. */
export async function importState(
  control: ControlClient,
  file: string | ReadableStream<Uint8Array>,
  name?: string,
): Promise<Snapshot> {
  if (name !== undefined) return importAs(control, name, file)
  const snapshot = await saveTemporary(control)
  try {
    await importAs(control, snapshot, file)
    return await control.call('POST /snapshots/{name}/restore', { params: { name: snapshot } })
  } finally {
    await deleteTemporary(control, snapshot)
  }
}

/** The last line of every file. */
const fileEnd = '"\n}\n'

/** Checks that the file is complete: a sandbox that stops while it sends would otherwise leave a truncated file. */
async function* completeFile(control: ControlClient, name: string): AsyncGenerator<Uint8Array> {
  let last = ''
  for await (const piece of await control.transfer('GET', pathOf(name, 'export'))) {
    last = (last + new TextDecoder().decode(piece.subarray(-fileEnd.length))).slice(-fileEnd.length)
    yield piece
  }
  if (last !== fileEnd) throw new UnreachableError(`the sandbox at ${control.url} stopped while it sent the file`)
}

async function importAs(
  control: ControlClient,
  name: string,
  file: string | ReadableStream<Uint8Array>,
): Promise<Snapshot> {
  let text = ''
  for await (const piece of await control.transfer('POST', pathOf(name, 'import'), file))
    text += new TextDecoder().decode(piece)
  // The route answers with a snapshot.
  return JSON.parse(text) as Snapshot
}

const pathOf = (name: string, what: string) => `/snapshots/${encodeURIComponent(name)}/${what}`

/** Creates a snapshot of the present state; the sandbox chooses its name. */
const saveTemporary = async (control: ControlClient): Promise<string> =>
  (await control.call('POST /snapshots', { body: {} })).name

const deleteTemporary = (control: ControlClient, name: string) =>
  control.call('DELETE /snapshots/{name}', { params: { name } })
