/** Runs the commands of the page about state in order, unchanged. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
