/** `payments-sandbox snapshot`: saves, restores, exports and imports the complete state. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import { exportPieces, importState } from '../../client/snapshots.js'
import type { Snapshot } from '../../client/types/control.js'
import { openInputFile } from '../../runtime/node/files/input.js'
import { checkOutput, isStandardOutput, writeOutput } from '../../runtime/node/files/output.js'
import type { CommandUsages } from '../command.js'
import { type ConnectionFlags, connect, print, subcommand } from '../connection.js'
import { bold, dim } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'

export const usages: CommandUsages = {
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
}

export function define(command: Command): void {
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
    print(flags, await connect(flags).call('GET /snapshots'), format),
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
}

/** Streams the file, which can be larger than memory. */
function streamOf(file: string): ReadableStream<Uint8Array> {
  const { fd } = openInputFile('streamedSnapshot', file)
  // These are web streams of Node, which its `fetch` accepts.
  return Readable.toWeb(createReadStream(file, { fd })) as ReadableStream<Uint8Array>
}

function format({ data }: RouteAnswer<'GET /snapshots'>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, text) => dim(text) },
  ]
  return table(columns, data, 'no snapshots')
}
