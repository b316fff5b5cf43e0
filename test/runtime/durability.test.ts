/** What a database file survives is SQLite's own setting: `normal` every end of the process, `full` a power failure too. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { durabilities } from '../../src/protocol/settings/process.js'
import { startSandbox } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { run } from '../support/program.js'
import { openSandbox } from '../support/sandbox.js'

beforeAll(async () => void (await built()))

const inFile = () => join(temporaryFolder(), 'sandbox.db')
/** SQLite's numbers for the pragma `synchronous`. */
const levels = { normal: 1, full: 2 } as const

test.each(durabilities)(
  'a database file with durability %s keeps this level after a reset and a restore',
  async (durability) => {
    const { workspace, url } = await openSandbox({}, { db: inFile(), durability })
    const level = () => workspace.db.query('pragma synchronous')([])
    const post = async (path: string) =>
      expect((await fetch(`${url}/_sandbox${path}`, { method: 'POST' })).status).toBeLessThan(300)
    const expected = [{ synchronous: levels[durability] }]
    expect(level()).toEqual(expected)
    await post('/snapshots')
    const { data } = (await (await fetch(`${url}/_sandbox/snapshots`)).json()) as { data: { name: string }[] }
    await post('/reset')
    expect(level()).toEqual(expected)
    await post(`/snapshots/${data[0]?.name}/restore`)
    expect(level()).toEqual(expected)
  },
)

test('a database file survives every end of the process by default', async () => {
  const { workspace } = await openSandbox({}, { db: inFile() })
  expect(workspace.db.query('pragma synchronous')([])).toEqual([{ synchronous: levels.normal }])
})

test('a durability that does not exist is rejected with the two that do', async () => {
  const { code, stderr } = await run(['start', '--durability', 'fast', '--port', '0'])
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--durability.*normal.*full/)])
  const options = { db: inFile(), durability: 'fast' }
  await expect(startSandbox(options as never)).rejects.toThrow('durability must be one of normal, full')
})

test('the library opens a file with full durability', async () => {
  const sandbox = await startSandbox({ db: inFile(), durability: 'full' })
  const charge = await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
  expect(charge.status).toBe('pending')
  await sandbox.close()
})
