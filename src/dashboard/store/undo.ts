/** Undoing what changes the whole workspace: its state is kept before, under one name that the next time takes over. */
import { attempt, send } from './commands.js'
import { tell } from './toasts.js'

export const undoName = 'before-the-last-change'

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
