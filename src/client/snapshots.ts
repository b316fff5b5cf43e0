/** The state of a sandbox as one file, and back: a stored snapshot, or what it is at the moment. */
import type { ControlClient } from './control.js'
import { UnreachableError } from './errors.js'
import type { Snapshot } from './types/control.js'

/** The text of the file in pieces. Without a name: of the present state. Throws `UnreachableError` before its end if the file is not complete. */
export async function* exportPieces(control: ControlClient, name?: string): AsyncGenerator<Uint8Array> {
  if (name !== undefined) return yield* wholeFile(control, name)
  const made = await begin(control)
  try {
    yield* wholeFile(control, made)
  } finally {
    await end(control, made)
  }
}

/** The same as one text. */
export async function exportState(control: ControlClient, name?: string): Promise<string> {
  const utf8 = new TextDecoder()
  let text = ''
  for await (const piece of exportPieces(control, name)) text += utf8.decode(piece, { stream: true })
  return text + utf8.decode()
}

/** Stores what a file holds under a name; without one it becomes the present state. */
export async function importState(
  control: ControlClient,
  file: string | ReadableStream<Uint8Array>,
  name?: string,
): Promise<Snapshot> {
  if (name !== undefined) return store(control, name, file)
  const made = await begin(control)
  try {
    await store(control, made, file)
    return await control.call('POST /snapshots/{name}/restore', { params: { name: made } })
  } finally {
    await end(control, made)
  }
}

/** What the last line of a file is. */
const fileEnd = '"\n}\n'

/** A sandbox that ends while it sends a file ends the file as well: what is not complete is never taken for one. */
async function* wholeFile(control: ControlClient, name: string): AsyncGenerator<Uint8Array> {
  let last = ''
  for await (const piece of await control.transfer('GET', pathOf(name, 'export'))) {
    last = (last + new TextDecoder().decode(piece.subarray(-fileEnd.length))).slice(-fileEnd.length)
    yield piece
  }
  if (last !== fileEnd) throw new UnreachableError(`the sandbox at ${control.url} ended while it sent the file`)
}

async function store(
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

/** A snapshot of the present state, whose name the sandbox chooses. */
const begin = async (control: ControlClient): Promise<string> =>
  (await control.call('POST /snapshots', { body: {} })).name

const end = (control: ControlClient, name: string) => control.call('DELETE /snapshots/{name}', { params: { name } })
