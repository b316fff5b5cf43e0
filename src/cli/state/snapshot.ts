/** `payments-sandbox snapshot`: keep the whole state under a name, and bring it back. */

import { rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import type { RouteAnswer } from '../../client/control.js'
import { exportPieces, importState } from '../../client/snapshots.js'
import type { Snapshot } from '../../client/types/control.js'
import { cannotWrite, moveIntoPlace } from '../../platform/node/durable-file.js'
import type { Words } from '../command.js'
import { type Connection, connect, print, talks } from '../connection/connection.js'
import { Failure } from '../errors.js'
import { bold, dim } from '../terminal/style.js'
import { type Column, table } from '../terminal/table.js'
import { openSnapshotFile } from './snapshot-input.js'

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
      const sizeBytes = await write(file, exportPieces(connect(flags), flags.name))
      const written = { file, name: flags.name ?? null, size_bytes: sizeBytes }
      print(flags, written, () => `${bold(file)} holds ${flags.name ?? 'the present state'}\n`)
    })
  talks(command.command('import').description('take the present state from a file, or keep that under a name'))
    .argument('<file>')
    .option('--name <name>', 'keep it under that name, and leave the present state alone')
    .action(async (file: string, flags: Connection & { name?: string }) => {
      const snapshot = await importState(connect(flags), openSnapshotFile(file), flags.name)
      const told = flags.name === undefined ? 'is the present state' : `is kept as ${flags.name}`
      print(flags, { file, name: flags.name ?? null, size_bytes: snapshot.size_bytes }, () => `${bold(file)} ${told}\n`)
    })
}

/** Whole or not at all. Returns its size in bytes. */
async function write(file: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const fresh = `${file}.new`
  let sizeBytes = 0
  try {
    const output = await open(fresh, 'w')
    try {
      for await (const piece of pieces) {
        await output.writeFile(piece)
        sizeBytes += piece.length
      }
      await output.sync()
    } finally {
      await output.close()
    }
    moveIntoPlace(fresh, file)
    return sizeBytes
  } catch (error) {
    rmSync(fresh, { force: true })
    if (!cannotWrite(error)) throw error
    throw new Failure(`${file} cannot be written (${error instanceof Error ? error.message : String(error)})`)
  }
}

function listed({ data }: RouteAnswer<'GET /snapshots'>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, shown) => dim(shown) },
  ]
  return table(columns, data, 'no snapshots')
}
