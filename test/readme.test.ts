/** The README, pasted line by line into a fresh shell by somebody who types slowly, works to the end. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { commands } from '../src/cli/commands.js'
import { built } from './support/built.js'
import { temporaryFolder } from './support/folder.js'
import { ended, launchShell, run, startForTest } from './support/program.js'
import { requireTools } from './support/tools.js'

beforeAll(async () => void (await built()))

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code)

/** What is to be typed while the sandbox runs: not the lines that install, start or check the clone itself. */
const typed = blocks.filter((code) => !code.startsWith('npm ci')).flatMap((code) => code.trim().split('\n'))
const table = [...readme.matchAll(/^\| [^|]+ \| (.+) \|$/gm)]
  .map(([, said = '']) => said)
  .filter((said) => said.startsWith('`'))
const ofTable = table.map((said) => /^`([^`]+)`$/.exec(said)?.[1] ?? `echo 'no line to paste: '${said}; false`)

/** The answers of `curl`, which is content with any of them, are told by the API itself. */
const complains = /"success": ?false/

test('its lines, and those of its table, work one after the other in one shell', async (context) => {
  requireTools(context, 'curl')
  const { url } = await startForTest()
  const folder = temporaryFolder()
  // What `npx` finds in a clone is the program of the clone.
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  const advance = `curl -fsS ${url}/_sandbox/clock/advance -H 'Content-Type: application/json' -d '{"by": "1m"}' > /dev/null`
  const lines = [...typed, ...ofTable].flatMap((line) => [
    line.replaceAll('http://127.0.0.1:4010', url),
    'echo',
    // A minute goes by before the next line is there.
    advance,
  ])
  const script = ['set -ex', `PATH="${folder}:$PATH"`, ...lines].join('\n')
  const { code, stdout, stderr } = await ended(
    launchShell(script, { cwd: folder, env: { PAYMENTS_SANDBOX_URL: url, PAYMENTS_SANDBOX_PORT: '0' } }),
  )
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).not.toMatch(complains)
  expect(stdout).toContain('"signature_valid":true')
  expect(typed.length).toBeGreaterThan(6)
  expect(ofTable.length).toBeGreaterThan(9)
})

test('what it says to install and start with are scripts of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const names = blocks.filter((code) => code.startsWith('npm ci')).flatMap((code) => code.trim().split(' && ').slice(1))
  expect(names).toEqual(['npm start', 'npm run check'])
  for (const name of names) expect(scripts).toHaveProperty(name.split(' ').at(-1) ?? '')
})

test('the help of the program fits one screen and says what each command is for', async () => {
  const { code, stdout } = await run(['--help'])
  const lines = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  for (const [name, { short }] of Object.entries(commands))
    expect(stdout).toMatch(new RegExp(`  ${name} +${short.replaceAll(/[?()]/g, '\\$&')}`))
})
