/** Names such as `constructor`, wherever a name from outside is looked up: treated like any other unknown name. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfigFile } from '../../src/cli/settings/config-file.js'
import { jsonSchema } from '../../src/http/openapi/json-schema.js'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { connectSandbox, type Sandbox, startSandbox } from '../../src/testing/index.js'
import { openClient } from '../support/client.js'
import { controlRows } from '../support/control-rows.js'
import { temporaryFolder } from '../support/folder.js'
import { inheritedNames, withNameIn } from '../support/inherited-names.js'
import { run } from '../support/program.js'

let sandbox: Sandbox
let ids: Record<string, string>

beforeAll(async () => {
  const own = await startSandbox({ clock: 'manual', rateLimits: false })
  sandbox = await connectSandbox(own.url)
  const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  ids = {
    transactions: transaction_id,
    accounts: 'merchant',
    credentials: sandbox.accounts.merchant.client_id,
    scenarios: 'pix-paid',
    seed: 'demo',
  }
  afterAll(() => own.close())
})

/** Routes that wait for events, stream, certify for a while, or end the state that others need. */
const others = /^\/(webhooks\/wait|certify\/(receiver|client)|reset|stream|admin-token|seed|mcp)/
const rows = Object.entries(controlRows).filter(([, { path }]) => !others.test(path))

const pathOf = ({ path }: ControlRow, name?: string) =>
  path.replace(/\{[a-z_]+\}/g, () => name ?? ids[path.split('/')[1] ?? ''] ?? 'none')

async function ask(method: string, path: string, body?: string): Promise<string> {
  const answer = await fetch(`${sandbox.url}/_sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await answer.text()
  expect(answer.status, `${method} ${path} ${body} ${text.slice(0, 300)}`).toBeLessThan(500)
  return answer.ok ? `${answer.status}` : `${answer.status} ${JSON.parse(text).error.code}`
}

/** Requires the same result for each of these names as for an unknown one. */
async function expectAlike(what: string, resultOf: (name: string) => Promise<unknown>): Promise<void> {
  for (const [name, unknown] of inheritedNames) {
    const seen = JSON.stringify(await resultOf(name)).replaceAll(name, unknown)
    expect(seen, `${what}: ${name}`).toBe(JSON.stringify(await resultOf(unknown)))
  }
}

test.each(rows)('%s treats inherited names in path, query and body like unknown ones', async (_name, row) => {
  if (row.path.includes('{')) await expectAlike('path', (name) => ask(row.method, pathOf(row, name)))
  const filters =
    row.query === undefined ? [] : Object.keys(jsonSchema(row.query(), 'input', 'Sandbox').properties ?? {})
  for (const filter of filters) await expectAlike(filter, (name) => ask(row.method, `${pathOf(row)}?${filter}=${name}`))
  await expectAlike('parameter', (name) => ask(row.method, `${pathOf(row)}?${name}=1`))
  for (const body of withNameIn(row.example ?? {}))
    if (row.method !== 'GET') await expectAlike('body', (name) => ask(row.method, pathOf(row), body(name)))
})

test('the platform API treats inherited names like unknown ones', async () => {
  const api = await openClient(sandbox.url)
  const result = async (answer: ReturnType<typeof api.get>) => {
    const { status, code } = await answer
    expect(status).toBeLessThan(500)
    return [status, code]
  }
  for (const filter of ['type', 'status', 'currency', 'source', 'from_date', 'page', 'other'])
    await expectAlike(filter, (name) => result(api.get(`/v2/account/transactions/list?${filter}=${name}`)))
  const charge = {
    amount: 5,
    currency: 'USDT',
    chain: 'tron',
    payer: { name: 'Ana' },
    split: [{ username: 'customer' }],
  }
  for (const body of withNameIn(charge))
    await expectAlike('cashin', (name) => result(api.post('/v2/transactions/cashin', body(name))))
})

const actions = ['cashin.pay', 'cashout.fail'].map((action) => ({
  action,
  id: 'none',
  params: { payer: { name: 'a' } },
}))
const scenario = {
  name: 'names',
  params: { reason: 'PROVIDER_ERROR' },
  on: { call: 'cashin', when: { external_id: 'a' } },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the scenario
  steps: [{ respond: '${reason}' }, { create: { cashin: { amount: 5, currency: 'BRL' }, as: 'charge' } }],
}
const ledger = {
  entries: [{ id: 'a', type: 'charge', currency: 'BRL', amount: '1.00' }],
  columns: { amount: 'amount' },
}
const rule = { headers: { accept: '*/*' }, body: { amount: 5 } }

test('scenarios, actions, ledgers and assertions treat inherited names like unknown ones', async () => {
  const bodies: [path: string, body: unknown][] = [
    ...actions.map((body): [string, unknown] => ['/trigger', body]),
    ['/scenarios', scenario],
    ['/certify/books', ledger],
    ['/requests/verify', rule],
  ]
  for (const [path, value] of bodies)
    for (const body of withNameIn(value)) await expectAlike(path, (name) => ask('POST', path, body(name)))
})

/** The words that commands look up themselves; the sandbox looks up the others. */
const words = (name: string) => [
  [name],
  ['trigger', name],
  ['trigger', 'cashin.pay', '--set', `payer.${name}=1`],
  ['scenario', 'run', 'pix-paid', '--param', `${name}=1`],
  ['chaos', name],
]

test('the command line treats inherited names like unknown ones', async () => {
  const env = { PAYMENTS_SANDBOX_URL: sandbox.url }
  for (const at of words('').keys()) {
    const [seen, ...unknown] = await Promise.all(
      ['constructor', '__proto__', 'constructed'].map(async (name) => {
        const { code, stderr } = await run(words(name)[at] ?? [], { env })
        return [code, stderr.replaceAll(name, 'NAME')]
      }),
    )
    expect(unknown, words('NAME')[at]?.join(' ')).toEqual([seen, seen])
  }
})

test('a configuration file treats inherited names like unknown ones', async () => {
  const file = join(temporaryFolder(), 'sandbox.yaml')
  const settings = {
    clock: 'manual',
    rate_limits: 'true',
    network_labels: { PIX: 'Pix' },
    fees: { BRL: { cashin: { percent: '1' } } },
  }
  await writeFile(file, JSON.stringify(settings))
  expect(readConfigFile(file)).toBeDefined()
  for (const text of withNameIn(settings))
    await expectAlike('setting', async (name) => {
      await writeFile(file, text(name))
      try {
        return readConfigFile(file)
      } catch (error) {
        // The words after it depend on the kind of table.
        return String(error).split(' is not ')[0]
      }
    })
})
