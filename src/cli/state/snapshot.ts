/** `payments-sandbox snapshot`: keep the whole state under a name, and bring it back. */

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import { exportPieces, importState } from '../../client/snapshots.js'
import type { Snapshot } from '../../client/types/control.js'
import { openInputFile } from '../../runtime/node/files/input.js'
import { checkOutput, isStandardOutput, writeOutput } from '../../runtime/node/files/output.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { bold, dim } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'

export const words: Words = {
  'snapshot save': {
    prints: [{ route: 'saveSnapshot' }],
    examples: [{ run: 'payments-sandbox snapshot save after-setup', says: 'keep everything as it is' }],
  },
  'snapshot restore': {
    prints: [{ route: 'restoreSnapshot' }],
    examples: [{ run: 'payments-sandbox snapshot restore before', says: 'back to how it was' }],
  },
  'snapshot list': {
    prints: [{ route: 'listSnapshots' }],
    examples: [{ run: 'payments-sandbox snapshot list', says: 'what is kept' }],
  },
  'snapshot export': {
    prints: [{ shape: 'snapshotInFile' }],
    examples: [
      { run: 'payments-sandbox snapshot export golden.json', says: 'the present state, to keep in a repository' },
      { run: 'payments-sandbox snapshot export before.json --name before', says: 'a snapshot that is kept' },
    ],
  },
  'snapshot import': {
    prints: [{ shape: 'snapshotInFile' }],
    examples: [{ run: 'payments-sandbox snapshot import golden.json', says: 'the present state is that of the file' }],
  },
  'snapshot delete': {
    prints: [{ shape: 'deleted' }],
    examples: [{ run: 'payments-sandbox snapshot delete before', says: 'forget it' }],
  },
}

export function define(command: Command): void {
  talks(command.command('save').description('keep everything as it is now: objects, clock, queue'))
    .argument('[name]', 'made up where absent')
    .action(async (name: string | undefined, flags: Connection) => {
      const saved = await connect(flags).call('POST /snapshots', { body: { name } })
      print(flags, saved, (snapshot) => `${bold(snapshot.name)} is saved\n`)
    })
  talks(command.command('restore').description('bring everything back as it was'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      const restored = await connect(flags).call('POST /snapshots/{name}/restore', { params: { name } })
      print(flags, restored, () => `${bold(name)} is restored\n`)
    })
  talks(command.command('list').description('what is kept')).action(async (flags: Connection) =>
    print(flags, await connect(flags).call('GET /snapshots'), listed),
  )
  talks(command.command('delete').description('forget one'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      await connect(flags).call('DELETE /snapshots/{name}', { params: { name } })
      print(flags, { name, deleted: true }, () => `${bold(name)} is deleted\n`)
    })
  talks(command.command('export').description('write the present state into a file, or a snapshot that is named'))
    .argument('<file>')
    .option('--name <name>', 'a snapshot that is kept')
    .action(async (file: string, flags: Connection & { name?: string }) => {
      const output = { file, kind: 'snapshot' } as const
      checkOutput(output)
      const { sizeBytes } = await writeOutput(output, exportPieces(connect(flags), flags.name))
      if (isStandardOutput(file)) return
      const written = { file, name: flags.name ?? null, size_bytes: sizeBytes }
      print(flags, written, () => `${bold(file)} holds ${flags.name ?? 'the present state'}\n`)
    })
  talks(command.command('import').description('take the present state from a file, or keep that under a name'))
    .argument('<file>')
    .option('--name <name>', 'keep it under that name, and leave the present state alone')
    .action(async (file: string, flags: Connection & { name?: string }) => {
      const snapshot = await importState(connect(flags), streamOf(file), flags.name)
      const told = flags.name === undefined ? 'is the present state' : `is kept as ${flags.name}`
      print(flags, { file, name: flags.name ?? null, size_bytes: snapshot.size_bytes }, () => `${bold(file)} ${told}\n`)
    })
}

/** The file in parts: it may be larger than memory. */
function streamOf(file: string): ReadableStream<Uint8Array> {
  const { fd } = openInputFile('streamedSnapshot', file)
  // Node's own streams of the web, which its `fetch` takes.
  return Readable.toWeb(createReadStream(file, { fd })) as ReadableStream<Uint8Array>
}

function listed({ data }: RouteAnswer<'GET /snapshots'>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, shown) => dim(shown) },
  ]
  return table(columns, data, 'no snapshots')
}
