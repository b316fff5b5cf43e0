/** `payments-sandbox snapshot`: keep the whole state under a name, and bring it back. */
import type { Command } from 'commander'
import { type Connection, connect, print, talks } from './connection.js'
import type { Page } from './shapes.js'
import { bold, dim } from './style.js'
import { type Column, table } from './table.js'

interface Snapshot {
  name: string
  created_at?: string
  now?: string
  bytes?: number
}

const at = (name: string, more = '') => `/_sandbox/snapshots/${encodeURIComponent(name)}${more}`

export function defineSnapshot(command: Command): void {
  talks(command.command('save').description('keep everything as it is now: objects, clock, queue'))
    .argument('[name]', 'made up where absent')
    .action(async (name: string | undefined, flags: Connection) => {
      const saved = await connect(flags).call<Snapshot>(
        'POST',
        '/_sandbox/snapshots',
        name === undefined ? {} : { name },
      )
      print(flags, saved, (snapshot) => `${bold(snapshot.name)} is saved\n`)
    })
  talks(command.command('restore').description('bring everything back as it was'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      const restored = await connect(flags).call<Snapshot | null>('POST', at(name, '/restore'), {})
      print(flags, restored ?? { name }, () => `${bold(name)} is restored\n`)
    })
  talks(command.command('list').description('what is kept')).action(async (flags: Connection) =>
    print(flags, await connect(flags).call<Page<Snapshot>>('GET', '/_sandbox/snapshots'), listed),
  )
  talks(command.command('delete').description('forget one'))
    .argument('<name>')
    .action(async (name: string, flags: Connection) => {
      const gone = await connect(flags).call<unknown>('DELETE', at(name))
      print(flags, gone ?? { name, deleted: true }, () => `${bold(name)} is deleted\n`)
    })
}

function listed({ data }: Page<Snapshot>): string {
  const columns: readonly Column<Snapshot>[] = [
    { title: 'NAME', of: (row) => row.name },
    { title: 'CREATED', of: (row) => row.created_at, paint: (_value, shown) => dim(shown) },
  ]
  return table(columns, data, 'no snapshots')
}
