/** The state as a whole: snapshots of it, other workspaces beside it, and back to the start. */
import type { Snapshot, WorkspaceAddress } from '../../client/types/control.js'
import { type Body, call, workspace } from '../api.js'
import { controlCurl } from '../curl.js'
import { enterWorkspace } from '../parts/frame/sidebar.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { type Column, Table } from '../parts/tables/table.js'
import { Moment, Said } from '../parts/text.js'
import { send } from '../store/commands.js'
import { ask } from '../store/dialog.js'
import { announce } from '../store/live.js'
import { useQuery } from '../store/query.js'
import { tell } from '../store/toasts.js'
import { deletedName, deleteUndoably, undoably, undoName } from '../store/undo.js'

export const StateView = () => {
  const snapshots = useQuery('GET /snapshots', {}, ['workspace'])
  const workspaces = useQuery('GET /workspaces', {}, ['workspace'])
  return (
    <>
      <Head title="State">
        <button type="button" class="button danger" onClick={askReset}>
          Reset the workspace
        </button>
      </Head>
      <Panel
        title="Snapshots"
        tools={
          <button type="button" class="button" onClick={askSnapshot}>
            Save a snapshot
          </button>
        }
        flush
      >
        <Loaded of={snapshots}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No snapshot yet" curl={controlCurl('POST', '/snapshots', { name: 'before' })}>
                A snapshot is the whole workspace under a name, clock and queue included. Save one to come back to it.
              </Empty>
            ) : (
              <Table label="Snapshots" columns={snapshotColumns} rows={data} keyOf={(row) => row.name} />
            )
          }
        </Loaded>
      </Panel>
      <Panel
        title="Workspaces"
        tools={
          <button type="button" class="button" onClick={askWorkspace}>
            New workspace
          </button>
        }
        flush
      >
        <Loaded of={workspaces}>
          {({ data }) => <Table label="Workspaces" columns={workspaceColumns} rows={data} keyOf={(row) => row.name} />}
        </Loaded>
      </Panel>
    </>
  )
}

const snapshotColumns: readonly Column<Snapshot>[] = [
  { name: 'Name', cell: (row) => <strong>{row.name}</strong> },
  { name: 'Size', end: true, cell: (row) => <span class="num">{Math.ceil(row.size_bytes / 1024)} KiB</span> },
  { name: 'Saved', end: true, cell: (row) => <Moment iso={row.created_at} /> },
  {
    name: 'Actions',
    end: true,
    cell: (row) => (
      <span class="row end">
        <button type="button" class="button" aria-label={`Restore ${row.name}`} onClick={() => askRestore(row.name)}>
          Restore
        </button>
        <button
          type="button"
          class="button"
          aria-label={`Delete snapshot ${row.name}`}
          onClick={() => askForget(row.name)}
        >
          Delete
        </button>
      </span>
    ),
  },
]

const workspaceColumns: readonly Column<WorkspaceAddress>[] = [
  { name: 'Name', cell: (row) => <strong>{row.name}</strong> },
  {
    name: 'Base URL',
    cell: (row) => (
      <code>
        <Said>{row.base_url}</Said>
      </code>
    ),
  },
  {
    name: 'Actions',
    end: true,
    cell: (row) => (
      <span class="row end">
        {row.name === workspace ? (
          <span class="faint">You are here</span>
        ) : (
          <button type="button" class="button" aria-label={`Open ${row.name}`} onClick={() => enterWorkspace(row.name)}>
            Open
          </button>
        )}
        {row.name === 'default' ? null : (
          <button type="button" class="button" aria-label={`Drop ${row.name}`} onClick={() => askDrop(row.name)}>
            Drop
          </button>
        )}
      </span>
    ),
  },
]

function askReset(): void {
  ask({
    title: `Reset ${workspace}?`,
    text: 'Everything in this workspace goes back to what it was right after the start. Snapshots stay, and what is there now is kept as one, so that it can be undone.',
    submit: 'Reset',
    danger: true,
    run: () => undoably('reset', () => send('POST /reset')),
  })
}

function askRestore(name: string): void {
  const restore = () => send('POST /snapshots/{name}/restore', { params: { name } })
  ask({
    title: `Restore ${name}?`,
    text: 'The whole workspace becomes what it was then, clock and queue included. What is there now is kept, so that it can be undone.',
    submit: 'Restore',
    danger: true,
    // That which would take its own place is as good as undone by the change before it.
    run: async () => {
      if (name !== undoName) return undoably(`restore of ${name}`, restore)
      await restore()
      tell(`${name} is back`)
    },
  })
}

function askForget(name: string): void {
  ask({
    title: `Delete the snapshot ${name}?`,
    text:
      name === deletedName
        ? 'It is gone for good then.'
        : `The workspace stays as it is. It can be undone: until another one is deleted, it is kept as ${deletedName}.`,
    submit: 'Delete',
    danger: true,
    run: () => (name === deletedName ? send('DELETE /snapshots/{name}', { params: { name } }) : deleteUndoably(name)),
  })
}

function askSnapshot(): void {
  ask<Body<'POST /snapshots'>>({
    title: 'Save a snapshot',
    fields: [{ name: 'name', hint: 'One is made up when empty; an earlier snapshot of the same name is replaced.' }],
    submit: 'Save',
    run: (values) => send('POST /snapshots', { body: values }),
  })
}

function askWorkspace(): void {
  ask<Body<'POST /workspaces'>>({
    title: 'New workspace',
    text: 'A sandbox of its own: database, clock, accounts and queue. Its API lies under /w/ and its name.',
    fields: [{ name: 'name', hint: 'a to z, 0 to 9, hyphen, underscore.', required: true }],
    submit: 'Create',
    run: async (values) => {
      const made = await call('POST /workspaces', { body: values })
      enterWorkspace(made.name)
    },
  })
}

function askDrop(name: string): void {
  ask({
    title: `Drop ${name}?`,
    text: 'The workspace and everything in it are gone for good.',
    submit: 'Drop',
    danger: true,
    run: async () => {
      await call('DELETE /workspaces/{name}', { params: { name } })
      if (name === workspace) enterWorkspace('default')
      else announce('everything')
    },
  })
}
