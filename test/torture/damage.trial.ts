/** Full disks and damaged files: the sandbox reports them in plain words, loses nothing that it acknowledged, and does not fail by itself. */
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { built } from '../support/built.js'
import { chanceOf, oneOf } from '../support/chance.js'
import { openClient } from '../support/client.js'
import { note, seedOf, timeShare } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { control } from '../support/http.js'
import { callersOf } from '../support/kills/calls.js'
import { inspect, newWorld } from '../support/kills/world.js'
import { plainFetch } from '../support/plain-fetch.js'
import { type Running, startForTest, startProgram, withoutProgress } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'

const rounds = Number(process.env.DAMAGE_ROUNDS ?? 300)
const seed = seedOf('DAMAGE_SEED')

function limitDisk({ child }: Running, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`])
}

test(`a sandbox under load survives a disk that is full ${rounds} times`, async () => {
  note(`DAMAGE_SEED=${seed}`)
  await built()
  const chance = chanceOf(seed)
  const posts = await openReceiver()
  const args = ['--db', join(temporaryFolder(), 'sandbox.db'), '--no-rate-limits', '--webhook-url', posts.url]
  const program = await startForTest(args)
  const world = newWorld('default')
  const faults: string[] = []
  const hasTime = timeShare(2)
  let round = 0
  for (; round < rounds && hasTime() && faults.length === 0; round++) {
    let isOver = false
    const running = callersOf(program.url, chance, world.calls).run(
      4,
      () => isOver,
      () => true,
    )
    await pause(chance() * 200)
    limitDisk(program, Math.floor(4096 + chance() * chance() * 3_000_000))
    await pause(chance() * 300)
    limitDisk(program, 'unlimited')
    await pause(chance() * 100)
    isOver = true
    await running
    faults.push(...(await inspect(world, program.url)))
    if ((round + 1) % 50 === 0) {
      note(`damage: the disk was full ${round + 1} of ${rounds} times`)
      await control(program.url)('POST', '/reset')
      Object.assign(world, newWorld('default'))
    }
  }
  note(`damage: the disk was full ${round} times, ${posts.all.length} webhooks`)
  expect(faults).toEqual([])
  expect(program.errors()).not.toMatch(/^\s+at /m)
})

/** Writes the files of a sandbox that a signal ended: database, log and snapshot, also for a second workspace. */
async function writeFiles(folder: string, signal: NodeJS.Signals): Promise<void> {
  const db = join(folder, 'sandbox.db')
  const program = await startProgram(['--db', db])
  await control(program.url)('POST', '/workspaces', { name: 'other' })
  for (const base of [program.url, `${program.url}/w/other`]) {
    const api = await openClient(base)
    for (let at = 0; at < 30; at++) {
      await control(base)('POST', '/trigger', { action: 'cashin.pay', id: await api.charge() })
      if (at === 20) await control(base)('POST', '/snapshots', { name: 'kept' })
    }
  }
  await program.stop(signal)
}

type Damage = (bytes: Buffer, at: number, chance: () => number) => Buffer
const damages: readonly [string, Damage][] = [
  ['one byte', (bytes, at) => put(bytes, at, Buffer.of(~(bytes[at] ?? 0) & 0xff))],
  ['a sector of zeros', (bytes, at) => put(bytes, at - (at % 512), Buffer.alloc(512))],
  ['a page of noise', (bytes, at, chance) => put(bytes, at - (at % 4096), noise(4096, chance))],
  ['a page replaced by another', (bytes, at, chance) => put(bytes, at - (at % 4096), pageOf(bytes, chance))],
  ['cut off', (bytes, at) => bytes.subarray(0, at)],
  ['noise appended', (bytes, at, chance) => Buffer.concat([bytes, noise(1 + (at % 9000), chance)])],
  ['empty', () => Buffer.alloc(0)],
  ['replaced by a text', () => Buffer.from('this is something else\n'.repeat(300))],
  ['the beginning missing', (bytes, at) => bytes.subarray(at % 5000)],
]
const put = (bytes: Buffer, at: number, what: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at + what.length)]).subarray(0, bytes.length)
const noise = (length: number, chance: () => number) => Buffer.from(Array.from({ length }, () => chance() * 256))
const pageOf = (bytes: Buffer, chance: () => number) => {
  const page = Math.floor((chance() * bytes.length) / 4096)
  return bytes.subarray(page * 4096, (page + 1) * 4096)
}

/** Starts a sandbox on damaged files and calls it. Returns whether it refused, worked or partly worked, and every fault. */
async function startOn(db: string): Promise<{ outcome: string; faults: string[] }> {
  const startedMs = performance.now()
  let program: Running
  try {
    program = await startProgram(['--db', db])
  } catch (error) {
    const output = withoutProgress(String(error).replace(/^.*?printed [^:]*: /s, '')).trim()
    const isPlain = output !== '' && !output.includes('\n') && !/\bat .*:\d+:\d+/.test(output)
    const faults = isPlain ? [] : [`error output: ${output}`]
    return {
      outcome: 'refused',
      faults: performance.now() - startedMs > 20_000 ? [...faults, 'took over 20 s'] : faults,
    }
  }
  const faults: string[] = []
  const statuses: number[] = []
  for (const base of [program.url, `${program.url}/w/other`])
    for (const [method, path, body] of [
      ['GET', '/health'],
      ['GET', '/transactions?limit=500'],
      ['GET', '/ledger'],
      ['GET', '/requests'],
      ['POST', '/trigger', { action: 'cashin.pay', create: true }],
      ['POST', '/snapshots/kept/restore'],
      ['GET', '/webhooks?limit=500'],
      ['POST', '/reset'],
    ] as const) {
      // Without a check of the schema: the damage may have hit the text of a field.
      const headers = { 'Content-Type': 'application/json' }
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
      const answer = await plainFetch(`${base}/_sandbox${path}`, { method, ...sent })
      const text = await answer.text()
      statuses.push(answer.status)
      if (![200, 404, 422, 503].includes(answer.status)) faults.push(`${method} ${path}: ${answer.status} ${text}`)
      if (text.includes('"balanced":false')) faults.push('the sandbox runs with an unbalanced ledger')
    }
  if (/^\s+at /m.test(program.errors())) faults.push(`error output: ${program.errors()}`)
  await program.stop()
  return { outcome: statuses.every((status) => status === 200) ? 'worked' : 'partly worked', faults }
}

test(`a sandbox reports or survives ${rounds} files that are damaged at random places`, async () => {
  await built()
  const chance = chanceOf(seed)
  const origins: [string, string] = [temporaryFolder(), temporaryFolder()]
  await writeFiles(origins[0], 'SIGKILL')
  await writeFiles(origins[1], 'SIGTERM')
  const outcomes: Record<string, number> = {}
  const faults: string[] = []
  const hasTime = timeShare(2)
  let round = 0
  for (; round < rounds && hasTime() && faults.length < 5; round++) {
    const folder = join(temporaryFolder(), 'data')
    const origin = oneOf(chance, origins)
    cpSync(origin, folder, { recursive: true })
    const file = oneOf(chance, readdirSync(origin) as [string, ...string[]])
    const [what, damage] = oneOf(chance, damages as [[string, Damage], ...[string, Damage][]])
    const bytes = readFileSync(join(folder, file))
    const at = Math.floor(chance() * bytes.length)
    writeFileSync(join(folder, file), damage(bytes, at, chance))
    const started = await startOn(join(folder, 'sandbox.db'))
    outcomes[started.outcome] = (outcomes[started.outcome] ?? 0) + 1
    faults.push(...started.faults.map((fault) => `round ${round}, ${file}, ${what} at ${at}: ${fault}`))
    rmSync(folder, { recursive: true })
    if ((round + 1) % 50 === 0) note(`damage: ${round + 1} of ${rounds} damaged files: ${JSON.stringify(outcomes)}`)
  }
  note(`damage: ${round} damaged files: ${JSON.stringify(outcomes)}`)
  expect(faults).toEqual([])
})
