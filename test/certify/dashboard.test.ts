/** Certifying a receiver from the page. */
import { expect, test } from 'vitest'
import { loadFigures } from '../../src/features/certify/load/figures.js'
import { booksOptionNames } from '../../src/features/certify/options.js'
import type { Certificate } from '../../src/inside/client.js'
import { barriers, outside } from '../support/browser.js'
import { openTried } from '../support/certify.js'
import { button, grouped, live, look, see, start } from '../support/dashboard.js'

test('certification results appear one by one, and a failed rule shows what was observed and its fix', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(`${sandbox.url}/_sandbox/inbox/believes-all`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
  // The verdict is about this URL, whatever stands in the form by now.
  await page.getByLabel('Receiver URL').fill('http://127.0.0.1:3000/another')
  await see(page, '.panel-head', /\d+ failed, .* · http:\S+\/_sandbox\/inbox\/believes-all/)
  const failed = page.locator('.messages li', { hasText: 'Failed' }).first()
  await see(failed, 'summary', /was accepted \(answered 200\)/)
  await see(failed, '.hint-box', /\w/)
  await failed.getByText('What was sent and answered').click()
  await see(failed, 'figcaption', /Sent to http/)
  await see(failed, 'p', /Response: 200 after \d+ ms/)
  await button(page, 'Copy as issue').click()
  const issue = await page.evaluate(() => navigator.clipboard.readText())
  expect(issue).toMatch(
    /^## Requirements: \d+ failed, [\s\S]*### Failed: The receiver rejects an event whose body was changed/,
  )
  await see(page, '.messages summary', /\d+ × requires the state URL \(the field State URL/)
  await see(page, '.messages summary', /\d+ × not tested because signature\.checked failed/)
  await page.locator('.messages summary', { hasText: /\d × requires/ }).click()
  await see(page, '.messages summary', 'tested only with payments-sandbox certify receiver --mode production')
  expect(await barriers(page)).toEqual([])
})

test('a state URL that cannot be read makes the verdict incomplete, and the page says why', async () => {
  const [sandbox, tried] = await Promise.all([start(), openTried()])
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(tried.url)
  await page.getByLabel('State URL').fill(`${tried.url}/nothing`)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Incomplete')
  const why = 'the state URL answered every request with 404'
  await see(page, '.messages summary', why)
  expect((await page.locator('main').textContent())?.split(why)).toHaveLength(2)
  await page.reload()
  await see(page, '.view-head .pill', 'Incomplete')
  expect(await page.getByLabel('State URL').inputValue()).toBe(`${tried.url}/nothing`)
  await tried.close()
})

test('a client is observed from the page, and a failed rule shows the fix and leads to the call', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByRole('link', { name: 'Client', exact: true }).click()
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').waitFor()
  await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await see(page, '[role=status]', '2 calls of your app since you pressed Check new calls')
  await button(page, 'Stop and judge').click()
  await see(page, '.view-head .pill', 'Failed')
  await see(page, '.panel-head', /1 failed, \d+ inconclusive, \d+ passed, \d+ skipped · 2 calls judged/)
  const failed = page.locator('.messages li', { hasText: 'Every charge and every withdrawal' }).first()
  await see(failed, '.hint-box', /external_id/)
  await failed.locator('a[href^="#/requests/req_"]').waitFor()
  await see(page, '.messages summary', /\d × the program made no call that requires a signature/)
  expect(await barriers(page)).toEqual([])
})

test('a long value of a failed requirement wraps within its column, on a wide screen and on a phone', async () => {
  const sandbox = await start()
  const external_id = `order-${'7'.repeat(50)}`
  const charge = (amount: number) => sandbox.client().cashin({ amount, currency: 'BRL', external_id })
  await charge(25.5)
  await expect(charge(30)).rejects.toThrow('external_id is already used')
  for (const width of [1440, 390]) {
    const page = await look(sandbox, '#/certify/client', { width })
    await button(page, 'Check the calls in the request log').click()
    await see(page, '.messages li', /external_id order-7{50}, which another payment already has/)
    expect(await outside(page)).toEqual([])
  }
})

test('calls that the dashboard makes are neither counted nor judged as those of the client', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/new/charge', { tolerate: /status of 4\d\d/ })
  await live(page)
  await page.getByLabel(/^Amount/).fill('-5')
  await button(page, 'Create').click()
  await see(page, '.field:has(#field-amount) [role=alert]', /greater than zero/)
  await page.goto(`${sandbox.url}/#/certify/client`)
  await see(page, '.panel-body p', /^The request log has no call of your app yet\./)
  const needs = page.locator('.panel', { hasText: 'Needs a call of your app' })
  await see(needs, '.panel-head', '6')
  await needs.getByText('3 more').click()
  await see(needs, 'li', 'Every signed call has a new nonce.')
  expect(await page.locator('.panel', { hasText: 'Ready to judge' }).count()).toBe(0)
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').click()
  await see(page, '.hint-box[role=status]', 'Your app made no call that can be judged.')
  await button(page, 'Check new calls').click()
  await button(page, 'Stop and judge').waitFor()
  await page.evaluate(() => fetch('/v2/transactions/cashin', { method: 'POST', body: '{}' }))
  await sandbox.client().cashin({ amount: 25.5, currency: 'BRL' })
  await see(page, '[role=status]', '2 calls of your app')
  await button(page, 'Stop and judge').click()
  await see(page, '.panel-head', /· 2 calls judged/)
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
  await see(page, 'tbody tr', /Entry of 10\.00 BRL \(the account has no transaction with this id\)$/)
  await see(page, '.panel-head', 'Entries: 1 wrong, 0 right · Transactions with a missing entry: 0')
  await see(page, '.messages summary', 'the statement has no refund in this period')
  const { transaction_id: id } = await sandbox.client('customer').cashin({ amount: 1500, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  await button(page, 'Certify').click()
  await see(page, 'tbody tr', /Charge of 1,500\.00 BRL on \d+ \w+ \d{4} is not booked$/)
  expect(await barriers(page)).toEqual([])
  await page.locator('.messages tbody a').click()
  await see(page, 'h1', '1,500.00')
})

test('the page has every option of the command that certifies a ledger', async () => {
  const sandbox = await start()
  const { transaction_id: id } = await sandbox.client().cashin({ amount: 15, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', { id })
  const page = await look(sandbox, '#/certify', { tolerate: /status of 4\d\d/ })
  await page.getByRole('link', { name: 'Ledger', exact: true }).click()
  await page.getByText('Options', { exact: true }).click()
  for (const name of booksOptionNames) await page.locator(`#field-${name}`).waitFor()
  const book = `nr;art;currency;amount\n${id};gift;BRL;1500\n${id};tip;BRL;-15\n`
  await page.getByLabel('Ledger').setInputFiles({ name: 'ledger.csv', mimeType: 'text/csv', buffer: Buffer.from(book) })
  await page.getByLabel(/^Transaction id/).selectOption('nr')
  await page.getByLabel(/^Type type/).selectOption('art')
  await page.locator('#field-types').fill('gift=charge,tip=charge_fee')
  await button(page, 'Certify').click()
  await see(page, '.failure', /minor units/)
  await page.locator('#field-minor_units').check()
  await page.locator('#field-time_zone').fill('UTC')
  await button(page, 'Certify').click()
  await see(page, '.panel-head', '0 wrong, 2 right')
  expect(await barriers(page)).toEqual([])
})

test.each([
  [
    'pt',
    /^Nenhuma coluna foi reconhecida como transaction_id\. As colunas são Nome do cliente, .* em Opções › Colunas\.$/,
  ],
  [
    'es',
    /^Ninguna columna se reconoce como transaction_id\. Las columnas son Nome do cliente, .* en Opciones › Columnas\.$/,
  ],
])(
  'an unknown column is explained in the language of the page, beside the field that helps: %s',
  async (language, text) => {
    const page = await look(await start(), `?lang=${language}#/certify/books`, { tolerate: /status of 4\d\d/ })
    const buffer = Buffer.from('Nome do cliente,type,currency,amount\n1,charge,BRL,10.00\n')
    await page.locator('input[type=file]').setInputFiles({ name: 'ledger.csv', mimeType: 'text/csv', buffer })
    await page.locator('button.primary').click()
    await see(page, '.failure', text)
    await page.locator('#field-transaction_id').selectOption('Nome do cliente')
  },
)

test('a failed receiver is reported in the language of the page, and as failed requirements beside the form of a load test', async () => {
  const page = await look(await start(), '?lang=pt#/certify')
  await page.locator('#field-url').fill('http://127.0.0.1:9/webhooks')
  await page.locator('button.primary').click()
  await see(page, '.messages summary', /nada escuta nesta URL \(connect ECONNREFUSED 127\.0\.0\.1:9\)/)
  await page.locator('.choice button').last().click()
  await see(page, '.view-head .pill', 'Requisitos com falha')
})

test('the statement of an account has pages from its newest to its first posting, each with the balances of the whole period', async () => {
  const sandbox = await start({ clock: 'manual' })
  await sandbox.clock.advance('30d')
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
  await see(page, '.panel-head', `Opening 0.00 · Closing ${grouped(closing)} · Times in UTC`)
  await see(page, '.pager', `${entries.length - 25} rows`)
  await page.getByRole('link', { name: 'Newest' }).waitFor()
  expect(await barriers(page)).toEqual([])
})

test('a load test shows its charts while it runs, and its figures afterwards', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  await live(page)
  await page.getByLabel('Receiver URL').fill(`${sandbox.url}/_sandbox/inbox/busy`)
  await button(page, 'Load test').click()
  await page.getByLabel('Rate').fill('20/s')
  await page.getByLabel('Duration').fill('2s')
  const answered = page.waitForResponse('**/certify/receiver')
  await page.evaluate(() => {
    const shown = new Set<string>()
    Object.assign(window, { shown })
    new MutationObserver(() => shown.add(document.querySelector('main .panel')?.textContent ?? '')).observe(
      document.body,
      { subtree: true, childList: true, characterData: true },
    )
  })
  await button(page, 'Run the load test').click()
  await see(page, '.plot figcaption', 'Acknowledgement time')
  const { verdict, load }: Certificate = await (await answered).json()
  if (load === undefined) throw new Error('the report has no load')
  await see(page, '.facts dd', /acknowledged/)
  const shown = await page.evaluate(() => [...(Reflect.get(window, 'shown') as Set<string>)].join('\n'))
  expect(shown).toContain(`${sandbox.url}/_sandbox/inbox/busy · 20/s, steady`)
  expect(shown).toMatch(/\d s of 2 s sent/)
  expect(await page.locator('.facts dd').allTextContents()).toEqual(loadFigures(load).map(([, text]) => text))
  const duringLoad = load.timeline.filter(({ at_ms: atMs }) => atMs < load.for_ms)
  const acknowledged = duringLoad.reduce((sum, span) => sum + span.acknowledged, 0)
  await see(page, '.plot figcaption', new RegExp(`Acknowledged ${acknowledged}(?!\\d)`))
  await page.getByText('Load', { exact: true }).last().click()
  await see(page, '.messages li', 'The receiver answers every event with 2xx under load.')
  // On a busy machine events can be late or fail: whatever the report says, the page shows.
  await see(page, '.view-head .pill', new RegExp(`^Load test ${verdict}$`))
  expect(await page.locator('.plot .chart').count()).toBe(2)
  expect(await page.locator('.plot strong').allTextContents()).toEqual(['Acknowledgement time', 'Attempts per second'])
  expect(await page.locator('.plot .chart-dates').first().locator('span').allTextContents()).toEqual(['0 s', '1 s'])
  expect(await barriers(page)).toEqual([])
})

test('the results of a certification are shown again after a reload, with the receiver that was tested', async () => {
  const sandbox = await start()
  const page = await look(sandbox, '#/certify')
  const receiver = `${sandbox.url}/_sandbox/inbox/believes-all`
  await page.getByLabel('Receiver URL').fill(receiver)
  await button(page, 'Certify').click()
  await see(page, '.view-head .pill', 'Failed')
  await page.reload()
  await see(page, '.view-head .pill', 'Failed')
  await see(page, '.messages li', /was accepted \(answered 200\)/)
  expect(await page.getByLabel('Receiver URL').inputValue()).toBe(receiver)
  // As after an upgrade: what another build of the page has stored is not read.
  await page.evaluate(() => {
    const [key = '', result = ''] = Object.entries(sessionStorage).find(([name]) => name.includes('receiver')) ?? []
    sessionStorage.clear()
    sessionStorage.setItem(key.replace(/.{8}$/, 'another '), result)
  })
  await page.reload()
  await see(page, '.empty', 'No results yet')
})

test('an invalid address stands at its field of the form that certifies a receiver', async () => {
  const page = await look(await start(), '#/certify', { tolerate: /status of 4\d\d/ })
  await page.getByLabel('Receiver URL').fill('localhost:3000')
  await button(page, 'Certify').click()
  await see(
    page,
    '.field:has(#field-url) [role=alert]',
    /^Must begin with http:\/\/ or https:\/\/, .*INVALID_POSTBACK_URL/,
  )
  expect(await page.locator('.failure').count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('field-url')
  expect(await barriers(page)).toEqual([])
})
