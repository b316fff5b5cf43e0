/** Snapshots of the workspace, other workspaces, and the reset. */
import type { Snapshot, WorkspaceAddress } from '../../client/types/control.js'
import { type Body, call, workspace } from '../api.js'
import { controlCurl } from '../curl.js'
import { Button } from '../parts/forms/controls.js'
import { enterWorkspace } from '../parts/frame/sidebar.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { actionColumn, Table, type TableSpec } from '../parts/table.js'
import { Moment, WrappedText } from '../parts/text.js'
import { send } from '../store/commands.js'
import { openForm } from '../store/dialog.js'
import { announce } from '../store/live.js'
import { useQuery } from '../store/query.js'
import { showMessage } from '../store/toasts.js'
import { deletedSnapshotName, deleteWithUndo, runWithUndo, undoSnapshotName } from '../store/undo.js'

export const SnapshotsView = () => {
  const snapshots = useQuery('GET /snapshots', {}, ['workspace'])
  const workspaces = useQuery('GET /workspaces', {}, ['workspace'])
  return (
    <>
      <Head title="Snapshots and workspaces">
        <Button tone="danger" onClick={askReset}>
          Reset the workspace
        </Button>
      </Head>
      <Panel title="Snapshots" tools={<Button onClick={askSnapshot}>Save a snapshot</Button>} flush>
        <Loaded of={snapshots}>
          {({ data }) =>
            data.length > 0 ? (
              <Table {...snapshotTable} rows={data} />
            ) : (
              <Empty title="No snapshot yet" curl={controlCurl('POST', '/snapshots', { name: 'before' })}>
                A snapshot saves the whole workspace, including its clock and scheduled jobs. Save one to return to it.
              </Empty>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Workspaces" tools={<Button onClick={askWorkspace}>New workspace</Button>} flush>
        <Loaded of={workspaces}>{({ data }) => <Table {...workspaceTable} rows={data} />}</Loaded>
      </Panel>
    </>
  )
}

const snapshotTable: TableSpec<Snapshot> = {
  label: 'Snapshots',
  keyOf: (row) => row.name,
  columns: [
    { name: 'Name', cell: (row) => <strong>{row.name}</strong> },
    { name: 'Size', alignEnd: true, cell: (row) => <span class="num">{Math.ceil(row.size_bytes / 1024)} KiB</span> },
    { name: 'Saved', alignEnd: true, cell: (row) => <Moment iso={row.created_at} /> },
    actionColumn(({ name }) => [
      { label: 'Restore', name: `Restore ${name}`, run: () => askRestore(name) },
      { label: 'Delete', name: `Delete snapshot ${name}`, run: () => askDeleteSnapshot(name) },
    ]),
  ],
}

const workspaceTable: TableSpec<WorkspaceAddress> = {
  label: 'Workspaces',
  keyOf: (row) => row.name,
  columns: [
    {
      name: 'Name',
      cell: ({ name }) => (
        <>
          <strong>{name}</strong> {name === workspace ? <span class="faint">Current</span> : null}
        </>
      ),
    },
    {
      name: 'Base URL',
      cell: (row) => (
        <code>
          <WrappedText>{row.base_url}</WrappedText>
        </code>
      ),
    },
    actionColumn(({ name }) => [
      ...(name === workspace ? [] : [{ label: 'Open', name: `Open ${name}`, run: () => enterWorkspace(name) }]),
      ...(name === 'default' ? [] : [{ label: 'Delete', name: `Delete ${name}`, run: () => askDeleteWorkspace(name) }]),
    ]),
  ],
}

function askReset(): void {
  openForm({
    title: `Reset the workspace ${workspace}?`,
    text: 'Everything in this workspace returns to its state right after start. Snapshots are not deleted. The current state is saved as a snapshot, so that you can undo the reset.',
    submit: 'Reset',
    danger: true,
    run: () => runWithUndo('reset', () => send('POST /reset')),
  })
}

function askRestore(name: string): void {
  const restore = () => send('POST /snapshots/{name}/restore', { params: { name } })
  openForm({
    title: `Restore ${name}?`,
    text: 'The whole workspace returns to the state of the snapshot, including clock and queue. The current state is saved, so that you can undo it.',
    submit: 'Restore',
    danger: true,
    // Saving the current state under this name would overwrite the snapshot that is being restored.
    run: async () => {
      if (name !== undoSnapshotName) return runWithUndo(`restore of ${name}`, restore)
      await restore()
      showMessage(`${name} is restored`)
    },
  })
}

function askDeleteSnapshot(name: string): void {
  openForm({
    title: `Delete the snapshot ${name}?`,
    text:
      name === deletedSnapshotName
        ? 'You cannot undo this.'
        : `The workspace does not change. You can undo this: the snapshot is kept as ${deletedSnapshotName} until you delete another one.`,
    submit: 'Delete',
    danger: true,
    run: () =>
      name === deletedSnapshotName ? send('DELETE /snapshots/{name}', { params: { name } }) : deleteWithUndo(name),
  })
}

function askSnapshot(): void {
  openForm<Body<'POST /snapshots'>>({
    title: 'Save a snapshot',
    fields: [{ name: 'name', hint: 'Generated if omitted. An earlier snapshot of the same name is replaced.' }],
    submit: 'Save',
    run: (values) => send('POST /snapshots', { body: values }),
  })
}

function askWorkspace(): void {
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

function askDeleteWorkspace(name: string): void {
  openForm({
    title: `Delete ${name}?`,
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
