/** Forms that reset, save and restore the workspace, and open others. */
import { type Body, call, workspace } from '../../api.js'
import { t } from '../../language.js'
import {
  deletedSnapshotName,
  deleteWithUndo,
  runWithUndo,
  send,
  undoLast,
  undoSnapshotName,
} from '../../store/commands.js'
import { openForm } from '../../store/form.js'
import { announce } from '../../store/live.js'

/** Reloads the page for another workspace, so that nothing of the former one stays. */
export function enterWorkspace(name: string): void {
  location.href = addressOfWorkspace(name)
}

export const addressOfWorkspace = (name: string): string =>
  name === 'default' ? '/' : `/?workspace=${encodeURIComponent(name)}`

export function askReset(): void {
  openForm({
    title: t`Reset the workspace “${workspace}”?`,
    text: 'Everything in this workspace returns to its state right after start. Snapshots are not deleted. The current state is saved as a snapshot, so that you can undo the reset.',
    submit: 'Reset now',
    danger: true,
    run: () => runWithUndo(t`The workspace is reset`, () => send('POST /reset')),
  })
}

export function askSeed(): void {
  openForm<{ days?: string }>({
    title: 'Seed sample data?',
    text: 'Creates charges, withdrawals, refunds and disputes of the next days, and advances the clock to their end. The current state is saved as a snapshot, so that you can undo it.',
    fields: [{ name: 'days', kind: 'amount', hint: 'From 1 to 90.', value: '30', required: true }],
    submit: 'Seed',
    run: ({ days }) =>
      runWithUndo(t`Sample data is created`, () =>
        send('POST /seed/{name}', { params: { name: 'demo' }, body: { days: Number(days) } }),
      ),
  })
}

export function askRestore(name: string): void {
  const restore = () => send('POST /snapshots/{name}/restore', { params: { name } })
  openForm({
    title: t`Restore “${name}”?`,
    text: 'The whole workspace returns to the state of the snapshot, including clock and queue. The current state is saved, so that you can undo it.',
    submit: 'Restore',
    danger: true,
    // Saving the current state under this name would overwrite the snapshot that is being restored.
    run: () => (name === undoSnapshotName ? undoLast() : runWithUndo(t`${name} is restored`, restore)),
  })
}

export function askDeleteSnapshot(name: string): void {
  openForm({
    title: t`Delete the snapshot “${name}”?`,
    text:
      name === deletedSnapshotName
        ? 'You cannot undo this.'
        : t`The workspace does not change. You can undo this: the snapshot is kept as ${deletedSnapshotName} until you delete another one.`,
    submit: 'Delete',
    danger: true,
    run: () =>
      name === deletedSnapshotName ? send('DELETE /snapshots/{name}', { params: { name } }) : deleteWithUndo(name),
  })
}

export function askSnapshot(): void {
  openForm<Body<'POST /snapshots'>>({
    title: 'Save a snapshot',
    fields: [{ name: 'name', hint: 'Generated if omitted. An earlier snapshot of the same name is replaced.' }],
    submit: 'Save',
    run: (values) => send('POST /snapshots', { body: values }),
  })
}

export function askWorkspace(): void {
  openForm<Body<'POST /workspaces'>>({
    title: 'New workspace',
    text: 'A separate sandbox with its own database, clock, accounts and webhooks. Its API is at /w/ followed by its name.',
    fields: [{ name: 'name', hint: 'a to z, 0 to 9, hyphen, underscore.', required: true }],
    submit: 'Create',
    run: async (values) => {
      const made = await call('POST /workspaces', { body: values })
      enterWorkspace(made.name)
    },
  })
}

export function askDeleteWorkspace(name: string): void {
  openForm({
    title: t`Delete the workspace “${name}”?`,
    text: 'The workspace and everything in it are deleted. You cannot undo this.',
    submit: 'Delete',
    danger: true,
    run: async () => {
      await call('DELETE /workspaces/{name}', { params: { name } })
      if (name === workspace) enterWorkspace('default')
      else announce('everything')
    },
  })
}
