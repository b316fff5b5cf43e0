/** Runs every command and the first test of the README as a new user would. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { commands } from '../support/all-commands.js'
import { built } from '../support/built.js'
import { cloneLikeFolder } from '../support/folder.js'
import { ended, launchShell, run, startHereForTest } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => void (await built()))

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (page: string): string => readFileSync(join(root, page), 'utf8')
const blocksOf = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)

const readme = read('README.md')
const blocks = blocksOf('README.md', 'sh')
const isForTheClone = (code: string): boolean => code.startsWith('npm ci')

/** The command lines for a running sandbox, without those that install, start or check the clone. */
const typed = blocks.filter((code) => !isForTheClone(code)).flatMap((code) => code.trim().split('\n'))
const rows = [...readme.matchAll(/^\| [^|]+ \| (.+) \|$/gm)]
  .map(([, cell = '']) => cell)
  .filter((cell) => cell.startsWith('`'))
const inTable = rows.map((cell) => /^`([^`]+)`$/.exec(cell)?.[1] ?? `echo 'not a command: '${cell}; false`)

/** `curl` exits with 0 for every HTTP status, so its output is searched for the API's own error body. */
const failure = /"success": ?false/

test('the commands of the README work one after the other in one shell', async (context) => {
  requireTools(context, 'curl')
  const { url } = await startHereForTest()
  const folder = cloneLikeFolder()
  const [firstTest = ''] = blocksOf('README.md', 'js')
  const [, file = ''] = /Save it as `([^`]+)`/.exec(readme) ?? []
  writeFileSync(join(folder, file), firstTest)
  const advance = `curl -fsS ${url}/_sandbox/clock/advance -H 'Content-Type: application/json' -d '{"by": "1m"}' > /dev/null`
  const lines = [...typed, ...inTable].flatMap((line) => [
    line.replaceAll('http://127.0.0.1:4010', url),
    'echo',
    // Like a slow reader: a minute of business time passes before the next line.
    advance,
  ])
  const script = ['set -ex', `PATH="${folder}:$PATH"`, ...lines].join('\n')
  const { code, stdout, stderr } = await ended(
    launchShell(script, { cwd: folder, env: { PAYMENTS_SANDBOX_URL: url, PAYMENTS_SANDBOX_PORT: '0' } }),
  )
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).not.toMatch(failure)
  expect(stdout).toMatch(/pass 1\b/)
  expect(stdout).toMatch(/ cashin\.confirmed .* valid$/m)
  expect(typed).toHaveLength(5)
  expect(inTable).toHaveLength(5)
})

test('the install, start and check commands of the README and CONTRIBUTING are scripts of the package', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const commandsOf = (page: string): string[] =>
    blocksOf(page, 'sh')
      .filter(isForTheClone)
      .flatMap((code) =>
        code
          .trim()
          .split(/ && |\n/)
          .slice(1),
      )
  const names = [...commandsOf('README.md'), ...commandsOf('CONTRIBUTING.md')]
  expect(names).toEqual(['npm start', 'npm run check'])
  for (const name of names) expect(scripts).toHaveProperty(name.split(' ').at(-1) ?? '')
})

test('the help of the program fits one screen and describes each command', async () => {
  const { code, stdout } = await run(['--help'])
  const lines = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  for (const [name, { short }] of Object.entries(commands))
    expect(stdout).toMatch(new RegExp(`  ${name} +${short.replaceAll(/[?()]/g, '\\$&')}`))
})
