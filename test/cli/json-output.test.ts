/** Every output of `--json` is typed and documented: runs each command and compares the output with its row. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type * as z from 'zod'
import { commandLinePage } from '../../scripts/docs/command-line.js'
import type { Output } from '../../src/cli/command.js'
import { jsonSchema } from '../../src/http/openapi/json-schema.js'
import { shapes } from '../../src/protocol/control/outputs.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { commands } from '../support/all-commands.js'
import { built } from '../support/built.js'
import { everyWord } from '../support/commands.js'
import { controlRows } from '../support/control-rows.js'
import { removedFeatures } from '../support/features.js'
import { temporaryFolder } from '../support/folder.js'
import { runShell, startHereForTest } from '../support/program.js'

beforeAll(async () => void (await built()))

const page = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8')

test('docs/command-line.md is up to date: `npm run docs` writes it', async () => {
  const made = await commandLinePage(page, commands, (shape) => jsonSchema(shape, 'output', 'Sandbox'))
  if (removedFeatures.length === 0) expect(page).toBe(made)
  // The page still has the lines of a removed feature.
  else expect(made.split('\n').filter((line) => !page.includes(line))).toEqual([])
})

const scenario = 'name: mine\nsteps:\n  - create: { cashin: { amount: 5, currency: BRL } }\n  - cashin.pay\n'
const charge = `request POST /v2/transactions/cashin --data '{"amount":25,"currency":"BRL","external_id":"order-1","postback_url":"$URL/_sandbox/inbox/main"}'`

/** Command lines that run in order against one sandbox, by the name of the command's row. */
const typed: readonly (readonly [words: string, line: string, at?: number])[] = [
  ['env', 'env'],
  ['request', charge],
  ['trigger', 'trigger cashin.pay order-1'],
  ['webhooks wait', 'webhooks wait cashin.confirmed --external-id order-1'],
  ['inbox', 'inbox'],
  ['inbox', 'inbox main', 1],
  ['inbox', 'inbox --empty', 2],
  ['transactions', 'transactions'],
  ['transactions', 'transactions order-1', 1],
  ['trigger', 'trigger dispute.open order-1'],
  ['disputes', 'disputes'],
  ['webhooks', 'webhooks'],
  ['requests', 'requests'],
  ['scenario list', 'scenario list'],
  ['scenario show', 'scenario show tron-energy-fail'],
  ['scenario new', 'scenario new late-refund'],
  ['scenario validate', 'scenario validate mine.yaml'],
  ['scenario run', 'scenario run mine.yaml'],
  ['scenario run', 'scenario run mine.yaml pix-paid --fast-forward', 1],
  ['scenario arm', 'scenario arm tron-energy-fail'],
  ['scenario disarm', 'scenario disarm tron-energy-fail'],
  ['clock', 'clock'],
  ['clock now', 'clock now'],
  ['clock advance', 'clock advance 10m'],
  ['clock freeze', 'clock freeze'],
  ['clock resume', 'clock resume'],
  ['account list', 'account list'],
  ['account create', 'account create shop --balance BRL=5'],
  ['account set', 'account set shop --webhook-url http://127.0.0.1:9/'],
  ['account balance', 'account balance shop BRL=7'],
  ['workspace create', 'workspace create team'],
  ['workspace list', 'workspace list'],
  ['workspace delete', 'workspace delete team'],
  ['seed demo', 'seed demo --days 1'],
  ['snapshot save', 'snapshot save before'],
  ['snapshot list', 'snapshot list'],
  ['snapshot restore', 'snapshot restore before'],
  ['snapshot export', 'snapshot export golden.json'],
  ['snapshot import', 'snapshot import golden.json'],
  ['snapshot delete', 'snapshot delete before'],
  ['reset', 'reset'],
  ['doctor', 'doctor'],
  ['status', 'status'],
  ['stop', 'stop --all'],
]

function schemaOf({ route, shape }: Output): z.ZodType | undefined {
  if (shape !== undefined) return shapes[shape]()
  const row: ControlRow | undefined = typeof route === 'string' ? controlRows[route] : route
  return row?.answer?.()
}

test('every command prints JSON with exactly the documented fields', async () => {
  const { url, ready } = await startHereForTest()
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mine.yaml'), scenario)
  const env = { PAYMENTS_SANDBOX_URL: url, PAYMENTS_SANDBOX_STATE_FOLDER: cwd }
  // `status` exits with an error if a sandbox does not run.
  const lines: string[] = []
  for (const [, line] of typed) {
    const { stdout, stderr } = await runShell(`payments-sandbox ${line.replace('$URL', url)} --json`, { cwd, env })
    expect(stdout, `${line}: ${stderr}`).toMatch(/^[^\n]+\n$/)
    lines.push(stdout)
  }
  const wrong = typed.flatMap(([words, line, at = 0], index) => {
    const output = everyWord[words]?.jsonOutputs[at]
    if (output === undefined) return [[line, 'is in no row']]
    const result = schemaOf(output)?.safeParse(JSON.parse(lines[index] ?? ''))
    return result === undefined || result.success ? [] : [[line, result.error.issues, lines[index]]]
  })
  expect(wrong).toEqual([])
  expect(shapes.ready().safeParse(ready).error).toBeUndefined()
})
