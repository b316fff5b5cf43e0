/** Certifying a receiver from the page. */
import { expect, test } from 'vitest'
import { barriers } from '../support/browser.js'
import { openTried } from '../support/certify.js'
import { button, grouped, live, look, see, start } from '../support/dashboard.js'

test('certification results appear one by one, and a failed rule shows what was observed and its fix', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(`${sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
  const failed = page.locator('.messages li', { hasText: 'Failed' }).first()
  await failed.locator('summary').click()
  await see(failed, '.hint-box', /\w/)
  expect(await barriers(page)).toEqual([])
})

test('a state URL that cannot be read makes the result inconclusive, and the page says why', async () => {
  const [sandbox, tried] = await Promise.all([start(), openTried()])
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(tried.url)
  await page.getByLabel('State URL').fill(`${tried.url}/nothing`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Inconclusive')
  await see(page, 'p.hint-box', 'the state URL answered every request with 404')
  await tried.close()
})

test('a client is observed from the page, and a failed rule shows the fix', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByRole('link', { name: 'Client', exact: true }).click()
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').waitFor()
  await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await see(page, '[role=status]', '2 calls so far')
  await button(page, 'Stop and judge').click()
  await see(page, '.view-head .pill', 'Failed')
  await see(page, '.panel-head', /2 calls judged: \d+ passed, 1 failed, \d+ inconclusive/)
  await see(page, '.messages summary', 'no call that requires a signature')
  const failed = page.locator('.messages li', { hasText: 'Every charge and every withdrawal' }).first()
  await failed.locator('summary').click()
  await see(failed, '.hint-box', /external_id/)
  expect(await barriers(page)).toEqual([])
})

test('a ledger is certified from its file, and each mistake is listed', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await see(page, '.empty pre', 'account=merchant')
  await page.locator('#field-account').selectOption('customer')
  await see(page, '.empty pre', /account=customer'[\s\S]*"external_id":"/)
  const book = 'id,type,currency,amount\ntx_unknown,charge,BRL,10.00\n'
  await page.getByLabel('Ledger').setInputFiles({ name: 'ledger.csv', mimeType: 'text/csv', buffer: Buffer.from(book) })
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
  await see(page, 'tbody tr', /Entry of 10\.00 BRL \(the account has no transaction with this id\)entry\.known/)
  await see(page, '.panel-head', '0 of 1 entries agree')
  await see(page, '.messages summary', 'the statement has no refund in this period')
  expect(await barriers(page)).toEqual([])
})

test('the statement of an account has pages, each with the balances of the whole period', async () => {
  const sandbox = await start()
  for (let number = 1; number <= 14; number++) {
    const { transaction_id: id } = await sandbox.client().cashin({ amount: number, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', { id })
  }
  const { entries, closing } = await sandbox.statement('merchant', { currency: 'BRL' })
  const page = await look(sandbox, '#/accounts')
  await page.getByRole('link', { name: 'Statement of merchant' }).click()
  await see(page, 'tbody tr', '10,103.95')
  await see(page, '.pager', '25 rows')
  await see(page, '.view-head a.button', 'Download CSV')
  await page.getByRole('link', { name: 'Older' }).click()
  await see(page, 'tbody tr', '10,000.00')
  await see(page, '.panel-head', `Closing ${grouped(closing)}`)
  await see(page, '.pager', `${entries.length - 25} rows`)
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a load test shows its charts while it runs, and its figures afterwards', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(`${sandbox.url}/_sandbox/inbox/busy`)
  await page.getByText('Load test').click()
  await page.getByLabel('Rate').fill('20/s')
  await page.getByLabel('Duration').fill('2s')
  await button(page, 'Certify').click()
  await see(page, '.plot figcaption', 'Acknowledgement time')
  await page.locator('.facts dt[title="acknowledgement"]').waitFor()
  await see(page, '.messages li', 'The receiver answers every event with 2xx under load.')
  await see(page, '.view-head .pill', 'Load test passed')
  await see(page, 'p.hint-box', 'Only the requirements under load were tested.')
  expect(await page.locator('.plot .chart').count()).toBe(2)
  expect(await barriers(page)).toEqual([])
})
