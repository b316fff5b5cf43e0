/** The state of a sandbox as one file, and back: a kept snapshot, or what it is at the moment. */
import { type SnapshotFile, snapshotText } from '../protocol/control/shapes/snapshot-file.js'
import type { ControlClient } from './control.js'
import type { Snapshot } from './types/control.js'

/** The text of the file. Without a name: of the present state. */
export async function exportState(control: ControlClient, name?: string): Promise<string> {
  if (name !== undefined) return snapshotText(await fileOf(control, name))
  return passing(control, async (made) => snapshotText(await fileOf(control, made)))
}

/** Keeps what the text of a file holds under a name; without one it becomes the present state. */
export function importState(control: ControlClient, text: string, name?: string): Promise<Snapshot> {
  if (name !== undefined) return keep(control, name, text)
  return passing(control, async (made) => {
    await keep(control, made, text)
    return control.call('POST /snapshots/{name}/restore', { params: { name: made } })
  })
}

const fileOf = (control: ControlClient, name: string): Promise<SnapshotFile> =>
  control.call('GET /snapshots/{name}/export', { params: { name } })

const keep = (control: ControlClient, name: string, body: string): Promise<Snapshot> =>
  control.call('POST /snapshots/{name}/import', { params: { name }, body, contentType: 'application/json' })

/** Under a name that the sandbox makes up, and that is gone afterwards. */
async function passing<T>(control: ControlClient, work: (name: string) => Promise<T>): Promise<T> {
  const { name } = await control.call('POST /snapshots', { body: {} })
  try {
    return await work(name)
  } finally {
    await control.call('DELETE /snapshots/{name}', { params: { name } })
  }
}
