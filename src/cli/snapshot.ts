/** `payments-sandbox snapshot`: keep the whole state under a name, and bring it back. */
import type { Command } from 'commander'
import type { RouteAnswer } from '../client/control.js'
import type { Snapshot } from '../client/types/control.js'
import { type Connection, connect, print, talks } from './connection.js'
import { bold, dim } from './style.js'
import { type Column, table } from './table.js'

export function defineSnapshot(command: Command): void {
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
}

function listed({ data }: RouteAnswer<'GET /snapshots'>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, shown) => dim(shown) },
  ]
  return table(columns, data, 'no snapshots')
}
