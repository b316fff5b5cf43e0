/**
 * Undo for commands that change the whole workspace: they first save its state under one name, which the next such
 * command overwrites.
 */
import { t } from '../language.js'
import { attempt, send } from './commands.js'
import { showMessage } from './toasts.js'

export const undoSnapshotName = 'before-the-last-change'

/** A deleted snapshot gets this name until another one is deleted. */
export const deletedSnapshotName = 'deleted-last'

/** The snapshot is renamed. */
export async function deleteWithUndo(name: string): Promise<void> {
  const rename = (from: string, to: string) =>
    send('PATCH /snapshots/{name}', { params: { name: from }, body: { name: to } })
  await rename(name, deletedSnapshotName)
  showMessage(t`Deleted: ${name}`, {
    label: 'Undo',
    run: () => attempt(() => rename(deletedSnapshotName, name), t`Undone: deletion of ${name}`),
  })
}

/** `what` describes what Undo restores. */
export async function runWithUndo(what: string, work: () => Promise<unknown>): Promise<void> {
  await send('POST /snapshots', { body: { name: undoSnapshotName } })
  await work()
  showMessage(t`Done: ${what}`, {
    label: 'Undo',
    run: () =>
      attempt(() => send('POST /snapshots/{name}/restore', { params: { name: undoSnapshotName } }), t`Undone: ${what}`),
  })
}

/** The state before the last undo, so that an undo can be undone too. */
const redoSnapshotName = 'before-the-last-undo'

/** Restores the state before the last reset, restore or run, also after its message is gone. */
export async function undoLast(): Promise<void> {
  const restore = (name: string) => send('POST /snapshots/{name}/restore', { params: { name } })
  await send('POST /snapshots', { body: { name: redoSnapshotName } })
  await restore(undoSnapshotName)
  showMessage('Undone: the last reset, restore or run', {
    label: 'Redo',
    run: () => attempt(() => restore(redoSnapshotName), 'Done again'),
  })
}
