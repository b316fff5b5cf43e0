/** The dashboard of a hosted workspace under workerd, in a real browser. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { startWorkerd } from '../../scripts/workerd.mjs'
import { pageSecurity } from '../../src/http/html.js'
import { connectSandbox } from '../../src/testing/index.js'
import { refusals } from '../support/browser.js'
import { builtWorkers } from '../support/built.js'
import { button, live, look, see } from '../support/dashboard.js'
import { temporaryFolder } from '../support/folder.js'
import { closeAfter } from '../support/hooks.js'
import { send } from '../support/http.js'

beforeAll(builtWorkers)

test("the hosted dashboard requires the workspace's token, shows a new charge, and pays it; another token opens nothing", async () => {
  const operator = 'the-operator'
  const { url, stop } = await startWorkerd({
    storage: temporaryFolder(),
    variables: { PAYMENTS_SANDBOX_OPERATOR_TOKEN: operator },
  })
  closeAfter(() => stop('SIGKILL'))
  const as = { 'X-Sandbox-Admin-Token': operator }
  const { body } = await send('POST', `${url}/_sandbox/workspaces`, { name: 'shop' }, as)
  const page = await look({ url }, 'w/shop/', { tolerate: refusals })
  await page.getByLabel('Admin token').fill('of somebody else')
  await button(page, 'Open the dashboard').click()
  await see(page, '[role=alert]', 'The token is wrong')
  await page.getByLabel('Admin token').fill(body.admin_token)
  await button(page, 'Open the dashboard').click()
  await see(page, '.empty-title', 'No transaction yet')
  await see(page, '.sidebar', /Hosted: deleted on \d{4}-\d\d-\d\d unless used before/)
  await live(page)

  const sandbox = await connectSandbox(url, { workspace: 'shop', adminToken: body.admin_token })
  closeAfter(() => sandbox.close())
  const charge = await sandbox.client('merchant').cashin({ amount: 25.5, currency: 'BRL' })
  await page.getByRole('link', { name: charge.transaction_id }).click()
  await see(page, 'h1 .pill', 'Pending')
  await button(page, 'Pay').click()
  await see(page, 'h1 .pill', 'Confirmed')
  await see(page, '.story-row', /cashin\.confirmed/)
  expect((await sandbox.transactions.get(charge.transaction_id)).status).toBe('confirmed')
})

test("the hosted dashboard's files are served by the host, under their addresses and with their headers", () => {
  const file = (name: string) => readFileSync(`dist/workers/assets/${name}`, 'utf8')
  const linked = [...file('index.html').matchAll(/(?:href|src)="\/(assets\/[^"]+)"/g)].map(([, name]) => String(name))
  expect(linked.length).toBeGreaterThan(1)
  for (const name of linked) expect(file(name).length, name).toBeGreaterThan(0)
  for (const [name, value] of Object.entries(pageSecurity)) expect(file('_headers')).toContain(`  ${name}: ${value}\n`)
})
