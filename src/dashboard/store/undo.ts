/** Undoing what changes the whole workspace: its state is kept before, under one name that the next time takes over. */
import { attempt, send } from './commands.js'
import { tell } from './toasts.js'

export const undoName = 'before-the-last-change'

/** Where a deleted snapshot waits until another one is deleted. */
export const deletedName = 'deleted-last'

/** It is only given another name. */
export async function deleteUndoably(name: string): Promise<void> {
  const rename = (from: string, to: string) =>
    send('PATCH /snapshots/{name}', { params: { name: from }, body: { name: to } })
  await rename(name, deletedName)
  tell(`Deleted: ${name}`, {
    label: 'Undo',
    run: () => attempt(() => rename(deletedName, name), `Taken back: the deletion of ${name}`),
  })
}

/** `what`: that which Undo takes back. */
export async function undoably(what: string, work: () => Promise<unknown>): Promise<void> {
  await send('POST /snapshots', { body: { name: undoName } })
  await work()
  tell(`Done: ${what}`, {
    label: 'Undo',
    run: () =>
      attempt(() => send('POST /snapshots/{name}/restore', { params: { name: undoName } }), `Taken back: ${what}`),
  })
}
