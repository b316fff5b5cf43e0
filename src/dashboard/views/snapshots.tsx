/** Snapshots of the workspace, other workspaces, and the reset. */
import type { Snapshot, WorkspaceAddress } from '../../client/types/control.js'
import { workspace } from '../api.js'
import { fileSize, moment, span } from '../format.js'
import { t } from '../language.js'
import { Button } from '../parts/forms/controls.js'
import {
  askDeleteSnapshot,
  askDeleteWorkspace,
  askReset,
  askRestore,
  askSnapshot,
  askWorkspace,
  enterWorkspace,
} from '../parts/forms/snapshot-commands.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { actionColumn, Table, type TableSpec } from '../parts/table.js'
import { WrappedText } from '../parts/text.js'
import { controlCurl } from '../platform-api.js'
import { deletedSnapshotName, undoSnapshotName } from '../store/commands.js'
import { useNow, useQuery } from '../store/query.js'

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

/** Those that the pages save by themselves. */
const ownSnapshots: Readonly<Record<string, string>> = {
  [undoSnapshotName]: 'The state before the last reset, restore or run',
  [deletedSnapshotName]: 'The last one that was deleted',
}

const snapshotTable: TableSpec<Snapshot> = {
  label: 'Snapshots',
  keyOf: (row) => row.name,
  columns: [
    {
      ...{ name: 'Name', card: 'title' },
      cell: ({ name }) => (
        <>
          <strong translate="no">{name}</strong> <span class="faint">{ownSnapshots[name]}</span>
        </>
      ),
    },
    { name: 'Saved (real time)', card: 'sub', cell: (row) => <Saved iso={row.created_at} /> },
    {
      name: 'Size',
      alignEnd: true,
      card: 'badge',
      cell: (row) => <span class="num">{fileSize(row.size_bytes)}</span>,
    },
    actionColumn(({ name }) => [
      { label: 'Restore', name: t`Restore ${name}`, run: () => askRestore(name) },
      {
        ...{ label: 'Delete', name: t`Delete snapshot ${name}`, tone: 'danger' as const },
        run: () => askDeleteSnapshot(name),
      },
    ]),
  ],
}

/** Its age by the clock of the browser's machine, which the sandbox's clock does not change. */
const Saved = ({ iso }: { iso: string }) => {
  useNow()
  return (
    <time class="num" dateTime={iso}>
      <span class="on-card">Saved (real time)</span> {moment(iso, null)}
      <span class="second">{t`${span(Date.now() - Date.parse(iso))} ago`}</span>
    </time>
  )
}

const workspaceTable: TableSpec<WorkspaceAddress> = {
  label: 'Workspaces',
  keyOf: (row) => row.name,
  columns: [
    {
      ...{ name: 'Name', card: 'title' },
      cell: ({ name }) => (
        <>
          <strong translate="no">{name}</strong> {name === workspace ? <span class="faint">Current</span> : null}
        </>
      ),
    },
    {
      ...{ name: 'Base URL', card: 'sub', spare: 'small' },
      cell: (row) => (
        <code>
          <WrappedText>{row.base_url}</WrappedText>
        </code>
      ),
    },
    actionColumn(({ name }) => [
      ...(name === workspace ? [] : [{ label: 'Open', name: t`Open ${name}`, run: () => enterWorkspace(name) }]),
      ...(name === 'default'
        ? []
        : [
            {
              ...{ label: 'Delete', name: t`Delete ${name}`, tone: 'danger' as const },
              run: () => askDeleteWorkspace(name),
            },
          ]),
    ]),
  ],
}
