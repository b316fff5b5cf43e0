/** A call in the dashboard's request log: what was really sent, and a command that sends it again. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { keysOf } from '../../src/base/keys.js'
import { errorCatalogue } from '../../src/protocol/platform/errors.js'
import { look, see, start } from '../support/dashboard.js'
import { requireTools } from '../support/tools.js'

/** What the commands print. */
const shell = async (commands: string) => (await promisify(execFile)('bash', ['-c', commands])).stdout

test('the request log shows headers with masked secrets, and a command that works when pasted', async (context) => {
  requireTools(context, 'curl')
  const sandbox = await start()
  const api = sandbox.client()
  const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: "o'neil" })
  const payout = { amount: 10, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-1' } as const
  const paid = await api.cashout(payout)
  await api.balance()
  const calls = await sandbox.requests.list()
  const idOf = (path: string) => calls.find((call) => call.path === path)?.request_id ?? ''
  const again = async (path: string) => {
    const page = await look(sandbox, `#/requests/${idOf(path)}`)
    await page
      .getByText(/^Headers: \d+$/)
      .first()
      .waitFor()
    for (const summary of await page.getByText(/^Headers: \d+$/).all()) await summary.click()
    await see(page, '.code', 'X-Request-Id')
    const command = (await page.locator('.code', { hasText: 'Terminal' }).locator('pre').textContent()) ?? ''
    return [(await page.locator('main').textContent()) ?? '', JSON.parse(await shell(command))]
  }
  const [shown, signed] = await again('/v2/transactions/cashout')
  expect(shown).toMatch(/authorization: Bearer \*\*\*/)
  expect(shown).toMatch(/x-signature: \*\*\*/)
  expect(shown).toContain(`Transaction id${paid.transaction_id}`)
  expect(signed.data.transaction_id).toBe(paid.transaction_id)
  expect((await again('/v2/transactions/cashin'))[1].data.transaction_id).toBe(charge.transaction_id)
  expect((await again('/v2/account/balance'))[1].data.balances).toHaveLength(8)
  expect((await again('/v2/oauth/token'))[1].access_token).toMatch(/./)
})

test('the longest error code of a call with a reference stays in its column beside the side panel', async () => {
  const sandbox = await start()
  const longest = keysOf(errorCatalogue).reduce((long, code) => (code.length > long.length ? code : long))
  const api = sandbox.client()
  await api.cashin({ amount: 25, currency: 'BRL', external_id: 'order-with-a-long-name' })
  const steps = [{ respond: { code: longest } }]
  await sandbox.scenarios.upload({ name: 'longest', on: { operation: 'cashin' }, steps })
  await sandbox.scenarios.arm('longest')
  const charge = { amount: 25, currency: 'BRL', external_id: 'order-with-another-name' } as const
  await expect(api.cashin(charge)).rejects.toThrow()
  const page = await look(sandbox, '#/requests')
  await page.locator('tr.data .row-link').first().click()
  await page.locator('.sticky .panel').first().waitFor()
  for (const width of [1440, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    const beyond = await page.locator('td', { has: page.locator('code', { hasText: longest }) }).evaluateAll((cells) =>
      cells.map((cell) => {
        const right = cell.querySelector('code')?.getBoundingClientRect().right ?? Number.POSITIVE_INFINITY
        return right > cell.getBoundingClientRect().right
      }),
    )
    expect(beyond, `at ${width}`).toEqual([false])
  }
})

test('the text filters of the request log suggest the values of its rows', async () => {
  const sandbox = await start()
  const charge = { amount: 25, currency: 'BRL', external_id: 'order-1' } as const
  await sandbox.client().cashin(charge)
  await expect(sandbox.client().cashin({ ...charge, amount: 26 })).rejects.toThrow()
  const page = await look(sandbox, '#/requests')
  await page.locator('#values-error_code option').waitFor({ state: 'attached' })
  const suggested = (name: string) =>
    page.locator(`#values-${name} option`).evaluateAll((all) => all.map((one) => one.getAttribute('value')).sort())
  expect(await suggested('error_code')).toEqual(['DUPLICATE_EXTERNAL_ID'])
  expect(await suggested('status')).toEqual(['200', '409'])
  expect(await suggested('path')).toEqual(['/v2/oauth/token', '/v2/transactions/cashin'])
})

test('a typed filter that fits no whole value says so, and offers the values that contain it', async () => {
  const sandbox = await start()
  const charge = { amount: 25, currency: 'BRL', external_id: 'order-1' } as const
  await sandbox.client().cashin(charge)
  await expect(sandbox.client().cashin({ ...charge, amount: 26 })).rejects.toThrow()
  const page = await look(sandbox, '#/requests?path=cashin', { tolerate: /status of 422/ })
  await see(page, '.empty', /Path must match exactly: “cashin” *Latest values:/)
  await page.locator('.empty').getByRole('link', { name: '/v2/transactions/cashin' }).click()
  await see(page, 'tr.data', /26\.00 BRL[\s\S]*order-1/)
  await page.getByLabel('HTTP status').fill('4xx')
  await see(page, '.empty', 'HTTP status must match exactly: “4xx”')
  expect(await page.locator('.failure').count()).toBe(0)
  await page.locator('.empty').getByRole('link', { name: '409' }).click()
  await see(page, 'tr.data', 'DUPLICATE_EXTERNAL_ID')
  expect(await page.locator('tr.data').count()).toBe(1)
})

test('beside an attempt that failed, the timeline does not say that its webhook was delivered later', async () => {
  const sandbox = await start({ clock: 'manual' })
  const receiver = await sandbox.receiver()
  receiver.respond(503, 200)
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 25, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  await sandbox.clock.advance('1h')
  const page = await look(sandbox, `#/transactions/${id}`)
  await see(page, '.story-row:not(.failed)', /Delivered[\s\S]*Attempt 2|Attempt 2[\s\S]*Delivered/)
  expect(await page.locator('.story-row.failed').textContent()).toContain('503')
  expect(await page.locator('.story-row.failed').textContent()).not.toContain('Delivered')
})
