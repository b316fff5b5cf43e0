/** An auditor that shares no code with the sandbox: it reads answers, webhooks and the statement over HTTP, and keeps books of its own, in Python. */
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { built } from '../support/built.js'
import { figure, note, seedOf, timeShare } from '../support/figures.js'
import { runShell, startForTest } from '../support/program.js'
import { requireTools } from '../support/tools.js'

beforeAll(async () => void (await built()))

const auditor = join(import.meta.dirname, '../torture/auditor/audit.py')
/** With this seed, the traffic offers a place for each planted mistake. */
const seedWithPlaces = 2

interface Audit {
  answers: number
  webhooks: number
  findings: number
  planted: number
  missed: string[]
}

/** Drives a new sandbox with random traffic and returns what the auditor says about it. */
async function audit(seed: number, ...flags: string[]): Promise<Audit> {
  const args = ['--clock', 'manual', '--no-rate-limits', '--seed', `audit-${seed}`]
  const { url } = await startForTest(args)
  const { stdout, stderr } = await runShell(
    `python3 '${auditor}' --url ${url} --operations 600 --seed ${seed} ${flags.join(' ')}`,
  )
  const found = JSON.parse(stdout || '{}') as Audit
  expect({ seed, findings: found.findings, missed: found.missed }, stderr).toEqual({ seed, findings: 0, missed: [] })
  return found
}

const title = 'the auditor agrees with random traffic, and finds each of 30 mistakes that are planted in its record'
test(title, { timeout: 3_600_000 }, async (context) => {
  requireTools(context, 'python3')
  const hasTime = timeShare(1)
  expect((await audit(seedWithPlaces, '--plants')).planted).toBe(30)
  const first = seedOf('AUDIT_SEED')
  let answers = 0
  let webhooks = 0
  for (let round = 0; round < figure(1, 80) && (round === 0 || hasTime()); round++) {
    const found = await audit(first + round)
    answers += found.answers
    webhooks += found.webhooks
  }
  note(`${answers} answers and ${webhooks} webhooks audited, first seed ${first}`)
})
