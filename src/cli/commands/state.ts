/** The state of a sandbox: `payments-sandbox snapshot`, `seed`, `reset`, `workspace` and `settings`. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { dayMs } from '../../base/duration.js'
import type { RouteAnswer } from '../../client/control.js'
import { exportPieces, importState } from '../../client/snapshots.js'
import type { Snapshot } from '../../client/types/control.js'
import { defaultSeedDays } from '../../protocol/control/state.js'
import { openInputFile } from '../../runtime/node/files/input.js'
import { checkOutput, isStandardOutput, writeOutput } from '../../runtime/node/files/output.js'
import {
  addConnectionFlags,
  type CommandFile,
  type ConnectionFlags,
  connect,
  print,
  subcommand,
  wholeNumber,
} from '../command.js'
import { withClockProgress } from '../terminal/progress.js'
import { bold, type Column, dim, formatFields, paintState, table } from '../terminal/style.js'

export const snapshot: CommandFile = {
  usages: {
    'snapshot save': {
      jsonOutputs: [{ route: 'saveSnapshot' }],
      examples: { 'payments-sandbox snapshot save after-setup': 'save the complete state' },
    },
    'snapshot restore': {
      jsonOutputs: [{ route: 'restoreSnapshot' }],
      examples: { 'payments-sandbox snapshot restore before': 'restore a snapshot' },
    },
    'snapshot list': {
      jsonOutputs: [{ route: 'listSnapshots' }],
      examples: { 'payments-sandbox snapshot list': 'list all snapshots' },
    },
    'snapshot export': {
      jsonOutputs: [{ shape: 'snapshotInFile' }],
      examples: {
        'payments-sandbox snapshot export golden.json': 'export the current state to a file for your repository',
        'payments-sandbox snapshot export before.json --name before': 'export a saved snapshot',
      },
    },
    'snapshot import': {
      jsonOutputs: [{ shape: 'snapshotInFile' }],
      examples: {
        'payments-sandbox snapshot import golden.json': 'replace the current state with the state in the file',
      },
    },
    'snapshot delete': {
      jsonOutputs: [{ shape: 'deleted' }],
      examples: { 'payments-sandbox snapshot delete before': 'delete a snapshot' },
    },
  },
  define(command) {
    subcommand(command, 'save', 'save the complete state: objects, clock and scheduled jobs')
      .argument('[name]', 'name of the snapshot (default: generated)')
      .action(async (name: string | undefined, flags: ConnectionFlags) => {
        const saved = await connect(flags).call('POST /snapshots', { body: { name } })
        print(flags, saved, (snapshot) => `${bold(snapshot.name)} is saved\n`)
      })
    subcommand(command, 'restore', 'restore the state of a snapshot')
      .argument('<name>')
      .action(async (name: string, flags: ConnectionFlags) => {
        const restored = await connect(flags).call('POST /snapshots/{name}/restore', { params: { name } })
        print(flags, restored, () => `${bold(name)} is restored\n`)
      })
    subcommand(command, 'list', 'list snapshots').action(async (flags: ConnectionFlags) =>
      print(flags, await connect(flags).call('GET /snapshots'), formatSnapshots),
    )
    subcommand(command, 'delete', 'delete a snapshot')
      .argument('<name>')
      .action(async (name: string, flags: ConnectionFlags) => {
        await connect(flags).call('DELETE /snapshots/{name}', { params: { name } })
        print(flags, { name, deleted: true }, () => `${bold(name)} is deleted\n`)
      })
    subcommand(command, 'export', 'export the current state, or a saved snapshot, to a file')
      .argument('<file>')
      .option('--name <name>', 'saved snapshot to export (default: the current state)')
      .action(async (file: string, flags: ConnectionFlags & { name?: string }) => {
        const output = { file, kind: 'snapshot' } as const
        checkOutput(output)
        const { sizeBytes } = await writeOutput(output, exportPieces(connect(flags), flags.name))
        if (isStandardOutput(file)) return
        const written = { file, name: flags.name ?? null, size_bytes: sizeBytes }
        print(flags, written, () => `${bold(file)} contains ${flags.name ?? 'the current state'}\n`)
      })
    subcommand(command, 'import', 'import a file as the current state, or as a saved snapshot')
      .argument('<file>')
      .option('--name <name>', 'import it as a snapshot of that name and leave the current state unchanged')
      .action(async (file: string, flags: ConnectionFlags & { name?: string }) => {
        const snapshot = await importState(connect(flags), streamOf(file), flags.name)
        const result = flags.name === undefined ? 'is now the current state' : `is saved as ${flags.name}`
        print(
          flags,
          { file, name: flags.name ?? null, size_bytes: snapshot.size_bytes },
          () => `${bold(file)} ${result}\n`,
        )
      })
  },
}

/** Streams the file, which can be larger than memory. */
function streamOf(file: string): ReadableStream<Uint8Array> {
  const { fd } = openInputFile('streamedSnapshot', file)
  // These are web streams of Node, which its `fetch` accepts.
  return Readable.toWeb(createReadStream(file, { fd })) as ReadableStream<Uint8Array>
}

function formatSnapshots({ data }: RouteAnswer<'GET /snapshots'>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, text) => dim(text) },
  ]
  return table(columns, data, 'no snapshots')
}

export const seed: CommandFile = {
  usages: {
    'seed demo': {
      jsonOutputs: [{ route: 'seed' }],
      examples: { 'payments-sandbox seed demo': 'create sample data for a month' },
    },
  },
  define(command) {
    subcommand(command, 'demo', 'create sample data for a month: charges of all rails, withdrawals, disputes, failures')
      .option('--days <number>', `number of days (default: ${defaultSeedDays})`)
      .action(async (flags: ConnectionFlags & { days?: string }) => {
        const sandbox = connect(flags)
        const days = flags.days === undefined ? undefined : wholeNumber('--days', flags.days, 1, 90)
        const request = { params: { name: 'demo' }, body: { days } }
        const seeded = await withClockProgress(
          sandbox,
          'creating sample data',
          (startMs) => startMs + (days ?? defaultSeedDays) * dayMs,
          () => sandbox.call('POST /seed/{name}', request),
        )
        print(flags, seeded, formatSeeded)
      })
  },
}

const formatSeeded = ({ from, to, happened, refused }: RouteAnswer<'POST /seed/{name}'>) =>
  `${paintState('ok', '✓')} ${bold('demo')}\n${formatFields(
    [
      ['from', from],
      ['to', `${to} (the clock is here now)`],
      ['actions', happened],
      ['rejected', refused === 0 ? null : refused],
    ],
    '  ',
  )}`

export const reset: CommandFile = {
  usages: {
    reset: {
      jsonOutputs: [{ route: 'reset' }],
      examples: { 'payments-sandbox reset': 'return to the state right after the start' },
    },
  },
  define(command) {
    addConnectionFlags(command).action(async (flags: ConnectionFlags) => {
      const done = await connect(flags).call('POST /reset')
      print(
        flags,
        done,
        ({ workspace }) =>
          `the sandbox is in the state right after start${workspace === 'default' ? '' : ` (${workspace})`}\n`,
      )
    })
  },
}

type Workspaces = RouteAnswer<'GET /workspaces'>
type Created = RouteAnswer<'POST /workspaces'>

/** Connects without `--workspace`, because workspaces belong to the whole sandbox. */
const connectToAll = (flags: ConnectionFlags) => connect({ ...flags, workspace: 'default' })

export const workspace: CommandFile = {
  usages: {
    'workspace list': {
      jsonOutputs: [{ route: 'listWorkspaces' }],
      examples: { 'payments-sandbox workspace list': 'list all workspaces' },
    },
    'workspace create': {
      jsonOutputs: [{ route: 'createWorkspace' }],
      examples: { 'payments-sandbox workspace create team-b': 'create a workspace for a second team or test run' },
    },
    'workspace delete': {
      jsonOutputs: [{ shape: 'deleted' }],
      examples: { 'payments-sandbox workspace delete team-a': 'delete the workspace team-a' },
    },
  },
  define(command) {
    subcommand(command, 'list', 'list workspaces').action(async (flags: ConnectionFlags) =>
      print(flags, await connectToAll(flags).call('GET /workspaces'), formatWorkspaces),
    )
    subcommand(command, 'create', 'create a workspace with the demonstration accounts and no transactions')
      .argument('<name>')
      .action(async (name: string, flags: ConnectionFlags) =>
        print(flags, await connectToAll(flags).call('POST /workspaces', { body: { name } }), formatCreated),
      )
    subcommand(command, 'delete', 'delete a workspace and everything in it')
      .argument('<name>')
      .action(async (name: string, flags: ConnectionFlags) => {
        await connectToAll(flags).call('DELETE /workspaces/{name}', { params: { name } })
        print(flags, { name, deleted: true }, () => `${bold(name)} is deleted\n`)
      })
  },
}

function formatWorkspaces({ data }: Workspaces): string {
  const columns: readonly Column<Workspaces['data'][number]>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'BASE URL', of: (row) => row.base_url },
  ]
  return table(columns, data, 'no workspaces')
}

function formatCreated({ name, base_url, accounts }: Created): string {
  const [account] = accounts
  const [credential] = account?.credentials ?? []
  return formatFields([
    ['name', name],
    ['base_url', base_url],
    ['account', account?.username],
    ['client_id', credential?.client_id],
    ['client_secret', credential?.client_secret],
    ['signing_key', credential?.signing_key],
    ['webhook_secret', credential?.webhook_secret],
  ])
}

export const settings: CommandFile = {
  usages: {
    settings: {
      jsonOutputs: [{ route: 'readSettings' }],
      examples: {
        'payments-sandbox settings': 'list the settings, their sources and defaults',
        'payments-sandbox settings --json': 'the same with the meaning of each setting',
      },
    },
  },
  define(command) {
    addConnectionFlags(command).action(async (flags: ConnectionFlags) =>
      print(flags, await connect(flags).call('GET /settings'), ({ data }) =>
        table(settingColumns, data, 'no settings'),
      ),
    )
  },
}

type SettingRow = RouteAnswer<'GET /settings'>['data'][number]

const settingColumns: readonly Column<SettingRow>[] = [
  { title: 'SETTING', of: ({ name }) => name },
  { title: 'SOURCE', of: ({ source }) => source },
  { title: 'VALUE', of: ({ value }) => valueText(value) },
  { title: 'DEFAULT', of: (row) => valueText(row.default) },
]

function valueText(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
