/** V8's code cache beside the program: the first longer start writes it, later starts use it, and it never causes an error. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { eventually } from '../support/eventually.js'
import { temporaryFolder } from '../support/folder.js'

let root = ''
beforeAll(async () => {
  root = dirname(dirname(await built()))
})

/** Copies the program into a new folder. */
function installed(): { bin: string; dist: string; caches: () => string[] } {
  const folder = temporaryFolder()
  for (const part of ['bin', 'package.json', 'scenarios'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  cpSync(join(root, 'dist/program.cjs'), join(folder, 'dist/program.cjs'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const dist = join(folder, 'dist')
  const caches = () => readdirSync(dist).filter((name) => name.startsWith('.cache-'))
  return { bin: join(folder, 'bin/payments-sandbox.js'), dist, caches }
}

/** Waits until the program has written its complete cache. */
async function startOnce(bin: string, caches: () => string[]): Promise<void> {
  const child = spawn(process.execPath, [bin, 'start', '--port', '0'], { stdio: 'ignore' })
  await eventually(
    async () => caches(),
    ([name]) => name !== undefined && !name.endsWith(`.${child.pid}`),
  )
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const help = (bin: string) => execFileSync(process.execPath, [bin, 'trigger', '--help'], { encoding: 'utf8' })

test('the first lasting start writes the code cache, and an unusable cache is replaced', async () => {
  const { bin, dist, caches } = installed()
  const plain = help(bin)
  expect(caches()).toEqual([])
  await startOnce(bin, caches)
  const [name = ''] = caches()
  const whole = readFileSync(join(dist, name))
  for (const bytes of [whole, whole.subarray(0, whole.length / 2), Buffer.alloc(0), Buffer.alloc(5000, 'x')]) {
    writeFileSync(join(dist, name), bytes)
    expect(help(bin)).toBe(plain)
  }
})

test('the code cache of another build is never used', async () => {
  const { bin, dist, caches } = installed()
  await startOnce(bin, caches)
  const cli = join(dist, 'program.cjs')
  const { mtime } = statSync(cli)
  writeFileSync(cli, readFileSync(cli, 'utf8').replace('a payment, a failure', 'a refusal, a failure'))
  utimesSync(cli, mtime, new Date(mtime.getTime() + 1000))
  expect(help(bin)).toContain('a refusal, a failure')
})
