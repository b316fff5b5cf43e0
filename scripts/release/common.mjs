/** What making and trying a release have in common: commands, the folder, and rows with a result each. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from '../bundled.mjs'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const folder = join(root, 'release')
export const { coordinates } = await bundled('scripts/packages/coordinates.ts')
export const { version } = coordinates

/** Where Linux distributions install JUnit. */
export const junitJar = process.env.JUNIT_JAR ?? '/usr/share/java/junit-platform-console-standalone.jar'

/** Runs a command; throws with its output if it fails. */
export function run(file, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    ...options,
  })
  if (status !== 0)
    throw new Error(`${[file, ...args].join(' ').slice(0, 300)} failed: ${error ?? `${stdout}${stderr}`}`)
  return stdout
}

export const shell = (command, options) => run('sh', ['-c', `set -e\n${command}`], options)

export const answers = (command) => spawnSync('sh', ['-c', command], { cwd: root, stdio: 'ignore' }).status === 0

/** A Python with the backend that builds the package: the first on `PATH`, or that of the distribution. */
export const buildingPython =
  ['python3', '/usr/bin/python3'].find((python) => answers(`${python} -c "import setuptools, wheel"`)) ?? 'python3'

/** This row cannot be done on this machine, for a reason that is no fault. */
export class NotHere extends Error {}

/**
 * Does the rows one after the other, and says of each how long it took, what it leaves out, or why it was not done here.
 * `--only` selects rows by a part of their name. `--complete` makes it an error that a row was not done here.
 */
export async function doRows(rows) {
  const only = process.argv.flatMap((word, at) => (word === '--only' ? [process.argv[at + 1]] : []))
  const isComplete = process.argv.includes('--complete')
  const counts = { done: 0, 'not here': 0, failed: 0 }
  for (const { name, needs = [], work } of rows) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue
    const startedMs = performance.now()
    const say = (result, text) => {
      counts[result] += 1
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
      console.log(`${result.padEnd(8)}  ${name.padEnd(28)} ${seconds.padStart(6)} s  ${text}`)
    }
    const missing = needs.filter((command) => !answers(command))
    try {
      if (missing.length > 0) throw new NotHere(`this fails on this machine: ${missing.join(', ')}`)
      say('done', (await work()) ?? '')
    } catch (error) {
      say(error instanceof NotHere ? 'not here' : 'failed', error.message)
    }
  }
  console.log(
    Object.entries(counts)
      .map(([result, count]) => `${count} ${result}`)
      .join(', '),
  )
  if (counts.failed > 0 || (isComplete && counts['not here'] > 0)) process.exitCode = 1
}

/** The code blocks of a page in one language, by the file names in their first comments. */
export function codeOf(page, language) {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code]) => code)
  const nameOf = (code) => /^(?:<\?php\n)?(?:#|\/\/) (\S+)\n/.exec(code)?.[1]
  return blocks.map((code) => ({ name: nameOf(code), code }))
}
