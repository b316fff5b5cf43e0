/** Snapshots of the workspace, other workspaces, and the reset. */
import type { Snapshot, WorkspaceAddress } from '../../client/types/control.js'
import { operations } from '../../protocol/platform/limits.js'
import { workspace } from '../api.js'
import { fileSize, moment, span, statusName } from '../format.js'
import { t } from '../language.js'
import { Button } from '../parts/forms/controls.js'
import {
  addressOfWorkspace,
  askDeleteSnapshot,
  askDeleteWorkspace,
  askReset,
  askRestore,
  askSnapshot,
  askWorkspace,
} from '../parts/forms/snapshot-commands.js'
import { Empty, Head, Loaded, Panel } from '../parts/layout.js'
import { Table, type TableSpec } from '../parts/table.js'
import { Id, Pill } from '../parts/text.js'
import { controlCurl } from '../platform-api.js'
import { deletedSnapshotName, undoSnapshotName } from '../store/commands.js'
import { type CountedType, countText, useCounts, useNow, useQuery } from '../store/query.js'
import { link } from '../store/route.js'
import { webhookStatuses } from './webhooks.js'

export const SnapshotsView = () => {
  const snapshots = useQuery('GET /snapshots', {}, ['workspace'])
  const workspaces = useQuery('GET /workspaces', {}, ['workspace'])
  return (
    <>
      <Head title="Snapshots and workspaces">
        <Button tone="quiet" onClick={askReset}>
          Reset the workspace
        </Button>
        <Button tone="primary" onClick={askSnapshot}>
          Save a snapshot
        </Button>
      </Head>
      <Contents />
      <div class="columns">
        <Panel title="Snapshots" flush>
          <Loaded of={snapshots}>
            {({ data }) =>
              data.length > 0 ? (
                <Table {...snapshotTable} rows={data} />
              ) : (
                <Empty title="No snapshot yet" curl={controlCurl('POST', '/snapshots', { name: 'before' })}>
                  A snapshot saves the whole workspace, including its clock and scheduled jobs. Save one to return to
                  it.
                </Empty>
              )
            }
          </Loaded>
        </Panel>
        <Panel title="Workspaces" tools={<Button onClick={askWorkspace}>New workspace</Button>} flush>
          <Loaded of={workspaces}>{({ data }) => <Table {...workspaceTable} rows={data} />}</Loaded>
        </Panel>
      </div>
    </>
  )
}

/** What a snapshot saves now, and how much of it is still under way. */
const contents: readonly (readonly [name: string, path: string, status: string, ...types: CountedType[]])[] = [
  ['Transactions', 'transactions', 'pending', ...operations],
  ['Disputes', 'disputes', 'open', 'dispute'],
  ['Webhooks', 'webhooks', 'pending', 'webhook'],
]

const noteOf = (name: string, status: string) =>
  name === 'Webhooks' ? webhookStatuses(status) : statusName(status, name)

const Contents = () => {
  const counts = useCounts().data?.data
  return (
    <section class="tiles" aria-label="Workspace">
      {contents.map(([name, path, status, ...types]) => (
        <a key={name} class="tile" href={link(path)}>
          <span class="tile-name">{name}</span>
          <span class="tile-value num">{countText(counts, types) || '–'}</span>
          <span class="tile-note">
            {noteOf(name, status)}: {countText(counts, types, status) || '–'}
          </span>
        </a>
      ))}
    </section>
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
          <strong translate="no">{name}</strong> <span class="second small">{ownSnapshots[name]}</span>
        </>
      ),
    },
    { name: 'Saved (real time)', card: 'sub', cell: (row) => <Saved iso={row.created_at} /> },
    {
      ...{ name: 'Size', alignEnd: true, card: 'badge' },
      cell: (row) => <span class="num">{fileSize(row.size_bytes)}</span>,
    },
    {
      ...{ name: 'Actions', alignEnd: true, card: 'line' },
      cell: ({ name }) => (
        <span class="row end">
          <Button accessibleName={t`Restore ${name}`} onClick={() => askRestore(name)}>
            Restore
          </Button>
          <Button tone="quiet" accessibleName={t`Delete snapshot ${name}`} onClick={() => askDeleteSnapshot(name)}>
            Delete
          </Button>
        </span>
      ),
    },
  ],
}

/** Its age by the clock of the browser's machine, which the sandbox's clock does not change. */
const Saved = ({ iso }: { iso: string }) => {
  useNow()
  return (
    <time class="num" dateTime={iso}>
      {t`${span(Date.now() - Date.parse(iso))} ago`}
      <span class="second small">{moment(iso, null)}</span>
    </time>
  )
}

const workspaceTable: TableSpec<WorkspaceAddress> = {
  label: 'Workspaces',
  keyOf: (row) => row.name,
  columns: [
    {
      ...{ name: 'Name', card: 'title' },
      cell: ({ name }) =>
        name === workspace ? (
          <>
            <strong translate="no">{name}</strong> <Pill status="Current" tone="ok" />
          </>
        ) : (
          <a href={addressOfWorkspace(name)}>
            <strong translate="no">{name}</strong>
          </a>
        ),
    },
    {
      name: 'Base URL',
      card: 'sub',
      cell: (row) => <Id id={row.base_url} noun="the base URL" />,
    },
    {
      ...{ name: 'Actions', alignEnd: true, card: 'badge' },
      cell: ({ name }) =>
        name === 'default' ? null : (
          <Button tone="quiet" accessibleName={t`Delete ${name}`} onClick={() => askDeleteWorkspace(name)}>
            Delete
          </Button>
        ),
    },
  ],
}
