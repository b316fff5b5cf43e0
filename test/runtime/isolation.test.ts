/** Tests are isolated from each other in many workspaces and processes, and close() releases everything. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import { built } from '../support/built.js'
import { figure } from '../support/figures.js'
import { ended } from '../support/program.js'

const child = (name: string) => fileURLToPath(new URL(`../support/${name}`, import.meta.url))

beforeAll(async () => {
  await built()
})

/** Works like a test file, with names that all others use too. */
async function likeATestFile(sandbox: Sandbox, mine: number): Promise<void> {
  const amount = 10 + mine
  const api = sandbox.client()
  const before = Date.parse(await sandbox.clock.now())
  const { transaction_id } = await api.cashin({ amount, currency: 'BRL', external_id: 'order-1' })
  await sandbox.trigger('cashin.pay', { id: 'order-1' })
  const hook = await sandbox.webhooks.waitFor('cashin.confirmed', { transaction_id }, { timeout: '60s' })
  expect(hook.data.amount).toBe(`${amount}.00`)
  await sandbox.account({ username: 'shop', balances: { BRL: mine } })
  await api.transfer({ username: 'shop', amount: 1, currency: 'BRL', external_id: 'transfer-1' })
  await api.cashin({ amount, currency: 'BRL', external_id: 'order-2' })
  await sandbox.clock.advance({ by: 3600 + mine })
  expect(Date.parse(await sandbox.clock.now()) - before).toBe((3600 + mine) * 1000)
  expect(await sandbox.webhooks.names()).toEqual([
    'cashin.confirmed',
    'transfer.confirmed',
    'transfer.confirmed',
    'cashin.expired',
  ])
  expect((await sandbox.balances('shop')).BRL.available).toBe(`${mine + 1}.00`)
  expect((await sandbox.transactions.list()).map(({ external_id }) => external_id)).toHaveLength(4)
  expect((await sandbox.ledger()).balanced).toBe(true)
  if (mine % 3 === 0) {
    await sandbox.reset()
    expect(await sandbox.transactions.list()).toEqual([])
  }
}

const workspaces = figure(12, 200)
const sandboxes = figure(5, 20)
const processes = figure(3, 8)
const longestMs = figure(60_000, 600_000)

test(
  `${workspaces} concurrent workspaces in one process are isolated from each other`,
  async () => {
    await using sandbox = await startSandbox({ clock: 'manual' })
    await Promise.all(
      Array.from({ length: workspaces }, async (_, mine) => {
        const workspace = await sandbox.workspace()
        await likeATestFile(workspace, mine)
        await workspace.close()
      }),
    )
    expect(await sandbox.transactions.list()).toEqual([])
    expect(await sandbox.webhooks.names()).toEqual([])
    const { data } = await sandbox.control.call<{ data: unknown[] }>('GET', '/workspaces')
    expect(data).toHaveLength(1)
  },
  longestMs,
)

test(
  `${sandboxes} concurrent sandboxes in one process are isolated from each other`,
  async () => {
    await Promise.all(
      Array.from({ length: sandboxes }, async (_, mine) => {
        await using sandbox = await startSandbox({ clock: 'manual', seed: 'the same everywhere' })
        await likeATestFile(sandbox, mine)
      }),
    )
  },
  longestMs,
)

test(`${processes} concurrent processes with the same seed and names are isolated from each other`, async () => {
  const results = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      ended(spawn(process.execPath, [child('isolation-child.mjs'), String(index + 1)])),
    ),
  )
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ amounts: [`${index + 1}.00`], transactions: 20, balanced: true })
  }
})

test('handles and memory are released by close()', async () => {
  const { code, stdout, stderr } = await ended(
    spawn(process.execPath, ['--expose-gc', child('leak-child.mjs'), String(figure(8, 15))]),
  )
  expect(code, stderr).toBe(0)
  const { left, early, late } = JSON.parse(stdout) as { left: string[]; early: number; late: number }
  expect(left).toEqual([])
  // A leaked sandbox would take over 1 MB. Node's own `fetch` keeps a pool of 25 KB for each address.
  expect(late - early, `${early} MB, then ${late} MB`).toBeLessThan(5)
})
