/** The auditor that shares no code with the sandbox judges a sandbox that is killed, and one with chaos, from what a caller gets over HTTP. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built, programCommand } from '../support/built.js'
import { figure, note, seedOf, timeShare } from '../support/figures.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/free-port.js'
import { runShell, startForTest } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => void (await built()))

const auditor = join(import.meta.dirname, '../torture/auditor/audit.py')

interface Audit {
  answers: number
  webhooks: number
  findings: number
  repeated: number
  kills: number
}

async function audit(url: string, seed: number, flags: string): Promise<Audit> {
  const line = `python3 '${auditor}' --url ${url} --operations 400 --seed ${seed} ${flags}`
  const { stdout, stderr } = await runShell(line)
  const found = JSON.parse(stdout || '{}') as Audit
  expect({ seed, findings: found.findings }, stderr).toEqual({ seed, findings: 0 })
  return found
}

const settings = (seed: number) => ['--clock', 'manual', '--no-rate-limits', '--seed', `audit-${seed}`]

async function auditAll(rounds: number, name: string, one: (seed: number) => Promise<Audit>): Promise<void> {
  const hasTime = timeShare(1)
  const first = seedOf('AUDIT_SEED')
  const total = { answers: 0, webhooks: 0, repeated: 0, kills: 0 }
  for (let round = 0; round < rounds && (round === 0 || hasTime()); round++) {
    const found = await one(first + round)
    for (const key of ['answers', 'webhooks', 'repeated', 'kills'] as const) total[key] += found[key]
  }
  const { answers, webhooks, repeated, kills } = total
  note(
    `audit ${name}: ${answers} answers, ${webhooks} webhooks, ${repeated} repeated calls, ${kills} kills, no finding`,
  )
}

test('the auditor agrees with a sandbox that is killed again and again', { timeout: 3_600_000 }, async (context) => {
  requireTools(context, 'python3')
  await auditAll(figure(1, 20), 'under kills', async (seed) => {
    const port = await freePort()
    const db = join(temporaryFolder(), 'audited.db')
    const command = [...programCommand, 'start', '--port', String(port), '--db', db, ...settings(seed)].join(' ')
    const found = await audit(`http://127.0.0.1:${port}`, seed, `--start "${command}"`)
    expect(found.kills).toBeGreaterThan(0)
    return found
  })
})

test('the auditor agrees with a sandbox under chaos', { timeout: 3_600_000 }, async (context) => {
  requireTools(context, 'python3')
  await auditAll(figure(1, 20), 'under chaos', async (seed) => {
    const { url } = await startForTest(settings(seed))
    const found = await audit(url, seed, '--chaos')
    expect(found.repeated).toBeGreaterThan(0)
    return found
  })
})
