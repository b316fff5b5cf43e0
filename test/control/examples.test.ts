/** Calls every route of the control API with the example of its row, and checks that every schema describes its content. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ControlRow } from '../../src/protocol/control/route.js'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import { controlRows } from '../support/control-rows.js'
import { strictly } from '../support/strict.js'

const rows = Object.entries<ControlRow>(controlRows)

describe('an example of the control API', () => {
  test('exists for every route that has a body', () => {
    const without = rows.filter(
      ([, { body, rawBodyTypes, example }]) => body !== undefined && rawBodyTypes === undefined && !example,
    )
    expect(without.map(([name]) => name)).toEqual([])
  })

  test('fits the schema of its route', () => {
    for (const [name, { body, example }] of rows)
      if (example !== undefined) expect(strictly(body?.() ?? z.never()).safeParse(example).success, name).toBe(true)
  })
})

let sandbox: Sandbox
/** The values of path parameters, by the first segment of the path. */
let ids: Record<string, string>

beforeAll(async () => {
  sandbox = await startSandbox({ clock: 'manual' })
  await sandbox.receiver()
  const { transaction_id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL', external_id: 'order-1' })
  await sandbox.trigger('cashin.pay', { id: transaction_id })
  const { infraction_id } = (await sandbox.trigger('dispute.open', { id: transaction_id })).object
  const { wallet_id } = await sandbox.client().wallet({ currency: 'BRL' })
  // The example of a trigger pays the newest charge, and that of an assertion searches for it. The scenario pays another charge.
  await sandbox.client().cashin({ amount: 10, currency: 'BRL' })
  await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  const [event] = await sandbox.webhooks.all()
  const [call] = await sandbox.requests.list()
  const waits = { name: 'waits', steps: [{ wait: '1h' }] }
  await sandbox.control.call('POST', '/scenarios', waits)
  const { id: run } = await sandbox.control.call('POST /scenarios/{name}/run', { params: { name: 'waits' } })
  ids = {
    transactions: transaction_id,
    disputes: infraction_id,
    wallets: String(wallet_id),
    webhooks: event?.id ?? '',
    requests: call?.request_id ?? '',
    accounts: 'merchant',
    credentials: sandbox.accounts.merchant.client_id,
    runs: run,
    inbox: 'demo',
    seed: 'demo',
    scenarios: exampleName('uploadScenario'),
    snapshots: exampleName('saveSnapshot'),
    workspaces: exampleName('createWorkspace'),
  }
})
afterAll(() => sandbox.close())

const exampleName = (route: string): string => {
  return String(controlRows[route]?.example?.name)
}

/** The order of routes: routes that create objects come first, a run is canceled while it waits, and routes that end shared state come last. */
function rank({ method, path }: ControlRow): number {
  if (path === '/reset') return 5
  if (method === 'DELETE') return path.startsWith('/runs') ? 0 : path.endsWith('}') ? 4 : 3
  return path.includes('{') || method === 'GET' ? 2 : 1
}

/** Routes that read a file, stream without end, certify for a while or need a token: each has its own tests. */
const elsewhere: readonly string[] = ['importSnapshot', 'streamChanges', 'certifyReceiver', 'rotateAdminToken']
const callable = rows.filter(([name]) => !elsewhere.includes(name)).sort(([, a], [, b]) => rank(a) - rank(b))

const queries: Record<string, string> = { search: '?q=paid', waitForWebhook: '?event=cashin.confirmed' }

test.each(callable)('%s responds to its example as documented', async (name, row) => {
  const path = row.path.replace(/\{[a-z_]+\}/g, () => encodeURIComponent(ids[row.path.split('/')[1] ?? ''] ?? ''))
  const answer = await fetch(`${sandbox.url}/_sandbox${path}${queries[name] ?? ''}`, {
    method: row.method,
    ...(row.example === undefined
      ? {}
      : { body: JSON.stringify(row.example), headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await answer.text()
  const isExpected = answer.ok || String(answer.status) in (row.otherStatuses ?? {})
  expect(isExpected, `${row.method} ${path} ${answer.status} ${text.slice(0, 500)}`).toBe(true)
  if (row.answer !== undefined && row.mediaType === undefined) strictly(row.answer()).parse(JSON.parse(text))
  if (row.mediaType !== undefined) expect(answer.headers.get('content-type')).toContain(row.mediaType)
})

describe('the OpenAPI document', () => {
  /** Objects that allow any field on purpose: a step of a user's file, a schema in a response, details of an error, and the document itself. */
  const open = [/steps(\.anyOf\.0)?\.items$/, /actions\..*\.params$/, /Error\.properties\.error\.properties\.details$/]

  const isOpen = (node: object) =>
    'type' in node &&
    node.type === 'object' &&
    !('properties' in node) &&
    (!('additionalProperties' in node) ||
      node.additionalProperties === true ||
      JSON.stringify(node.additionalProperties) === '{}')

  const bareIn = (node: unknown, path: string): string[] => {
    if (node === null || typeof node !== 'object') return []
    if (isOpen(node) || ('type' in node && node.type === 'array' && !('items' in node))) return [path]
    return Object.entries(node).flatMap(([key, inner]) =>
      ['examples', 'example', 'enum', 'security'].includes(key) ? [] : bareIn(inner, `${path}.${key}`),
    )
  }

  test('describes every body and response in detail, not just as an object or a list', async () => {
    const { paths, webhooks, components } = await sandbox.control.call('GET /openapi.json')
    const bare = bareIn({ paths, webhooks, schemas: Object(components).schemas }, 'document')
    expect(bare.filter((path) => !open.some((one) => one.test(path)))).toEqual([])
  })
})
