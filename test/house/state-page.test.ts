/** Runs the commands of the page about state in order, unchanged. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { ended, launchShell, printed, startHereForTest, withoutProgress } from '../support/program.js'

const page = readFileSync(join(import.meta.dirname, '../../docs/state.md'), 'utf8')
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))

test('the commands of the page about state work from top to bottom', async () => {
  await built()
  const cwd = temporaryFolder()
  const { url } = await startHereForTest([])
  const env = { PAYMENTS_SANDBOX_URL: url, PAYMENTS_SANDBOX_PORT: '0' }
  expect(commands.length).toBeGreaterThan(5)
  for (const line of commands) {
    const child = launchShell(line, { cwd, env })
    if (!line.includes(' start ')) {
      const { code, stderr } = await ended(child)
      expect([line, code, withoutProgress(stderr)]).toEqual([line, 0, ''])
      continue
    }
    const banner = await printed(child, /http:\/\/127\.0\.0\.1:\d+/)
    const base = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0] ?? ''
    const { data } = (await control(base)('GET', '/transactions')).body
    expect(data).toMatchObject([{ status: 'confirmed', amount: '25.00' }])
    child.kill()
    await ended(child)
  }
})

describe('the files beside a database', () => {
  const token = { env: { PAYMENTS_SANDBOX_ADMIN_TOKEN: 'token-of-the-test' } }
  const rows = [...page.matchAll(/^\| `(FILE[^`]*)` \|/gm)].map(([, name = '']) => name)
  /** `sandbox.sqlite.w-team.db.s-first` is a `FILE.w-NAME.db` with a snapshot of its own. */
  const namesOf = (file: string): string[] => {
    const [, own = '', rest = ''] = /^sandbox\.sqlite(\.w-team\.db)?(.*)$/.exec(file) ?? []
    return [`FILE${rest.replace('.s-first', '.s-NAME')}`, ...(own === '' ? [] : ['FILE.w-NAME.db'])]
  }

  test('are all on the page about state, and those that a kill leaves behind are deleted by the next start', async () => {
    await built()
    const folder = temporaryFolder()
    const db = join(folder, 'sandbox.sqlite')
    const first = await startHereForTest(['--db', db], token)
    const asAdmin = { 'X-Sandbox-Admin-Token': 'token-of-the-test' }
    const send = async (path: string, body: object) => {
      const headers = { 'Content-Type': 'application/json', ...asAdmin }
      const response = await fetch(first.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      expect([path, response.ok]).toEqual([path, true])
    }
    await send('/_sandbox/workspaces', { name: 'team' })
    for (const own of ['', '/w/team']) {
      await send(`${own}/_sandbox/snapshots`, { name: 'first' })
      await send(`${own}/_sandbox/snapshots/first/restore`, {})
    }
    await send('/_sandbox/admin-token', {})
    const files = readdirSync(folder)
    expect(new Set(files.flatMap(namesOf))).toEqual(new Set(rows))
    await first.stop()
    const replaced = files.filter((file) => !file.endsWith('-wal'))
    for (const file of replaced) writeFileSync(join(folder, `${file}.new`), 'half of it')
    const foreign = ['sandbox.sqlite.notes.new', 'sandbox.sqlite2.new']
    for (const file of foreign) writeFileSync(join(folder, file), 'kept')
    await startHereForTest(['--db', db], token)
    expect(readdirSync(folder).filter((file) => file.endsWith('.new'))).toEqual(foreign)
  })
})
