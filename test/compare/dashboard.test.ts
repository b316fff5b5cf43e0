/** The page that compares a recording of the platform with the sandbox. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers, outside } from '../support/browser.js'
import { changeBody } from '../support/compared.js'
import { holdBack, look, see, start } from '../support/dashboard.js'
import { playCharges, playErrors, recordTraffic } from '../support/recorded-traffic.js'
import { type HarEntry, harOf } from '../support/recording.js'

/** Drops a recording on the page. */
async function drop(page: Page, entries: readonly HarEntry[]): Promise<void> {
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'recording.har', { type: 'application/json' }))
    return data
  }, harOf(entries))
  await page.locator('label.drop').dispatchEvent('drop', { dataTransfer: dropped })
}

test('a dropped recording is compared, and its findings are grouped by verdict with both sides and the assumption', async () => {
  const entries = await recordTraffic({ pixChargeLife: '15m' }, async (played) => {
    await playCharges(played)
    await playErrors(played)
  })
  const page = await look(await start(), '#/compare')
  await see(page, '.steps pre', 'payments-sandbox record --target')
  expect(await barriers(page)).toEqual([])
  await drop(page, entries)
  const wrong = page.locator('.messages li', { hasText: 'pix_charge_life' }).first()
  await see(wrong, 'summary', /\d places?$/)
  await see(wrong, 'summary', /Assumption`?data\.payment_info\.expiration`?: 900 on the platform, 3600 in the sandbox/)
  await see(wrong, 'summary', /Expiry of an unpaid PIX charge: /)
  const group = page.locator('.results > li', { has: wrong })
  await see(group, 'summary', /^Wrong assumptionsThe sandbox assumes .*; the platform differs\.\d+ different$/)
  await see(page, '.results > li > details[open] > summary', /^Wrong assumptions/)
  await see(wrong, 'p', /(in|first in) entry \d+ of the recording$/)
  await see(wrong, 'p', 'Platform: 900')
  await see(wrong, 'p', 'Sandbox: 3600')
  await see(wrong, '.hint-box', 'pix_charge_life: 15m')
  await see(page, '.view-head .pill', 'Different')
  await see(page, '.panel-head', /^Findings\d+ different, \d+ equal · Compared: \d+ calls, \d+ webhooks?, \d+ fields/)
  await page.locator('summary', { hasText: /^Confirmed assumptions/ }).click()
  expect(await barriers(page)).toEqual([])
})

test('a long value of a finding wraps within its column, on a wide screen and on a phone', async () => {
  const entries = await recordTraffic({}, playCharges)
  changeBody(entries, '/cashin', ({ data }) => void delete data.payment_info)
  const sandbox = await start()
  for (const width of [1440, 390]) {
    const page = await look(sandbox, '#/compare', { width })
    await drop(page, entries)
    await see(page, '.exchange code', /"000201[^ ]{90,}/)
    expect(await outside(page)).toEqual([])
  }
})

test('a finding explains itself in the language of the page', async () => {
  const entries = await recordTraffic({}, playCharges)
  changeBody(entries, '/cashin', ({ data }) => void delete data.payment_info)
  const page = await look(await start(), '?lang=pt#/compare')
  await drop(page, entries)
  const finding = page.locator('.results > li', { hasText: 'ausente na plataforma' }).first()
  await see(finding, '[lang=pt]', /A plataforma contradiz a documentação: está ausente\./)
  await see(finding, '[lang=pt]', /^O sandbox segue a documentação/)
  await see(finding, 'p [lang=pt]', 'object, sempre presente')
})

test.each(['pt', 'es'] as const)('a comparison with findings and notes has no English text: %s', async (language) => {
  const entries = await recordTraffic({ pixChargeLife: '15m' })
  const page = await look(await start(), `?lang=${language}#/compare`)
  await drop(
    page,
    entries.filter((entry: HarEntry) => entry._webhook !== true),
  )
  await see(page, '.panel-head', /\d+ (chamadas|llamadas), \d+ campos/)
  await see(
    page,
    '.results > li',
    { pt: /^A gravação não tem webhooks/, es: /^La grabación no tiene webhooks/ }[language],
  )
  expect(await page.locator('.results [lang=en]').allTextContents()).toEqual([])
})

test('findings that read the same are one row with their number, and each place, with the values once', async () => {
  const entries = await recordTraffic({}, playCharges)
  for (const what of ['/cashin', 'cashin.confirmed'])
    changeBody(entries, what, ({ data }) => void Object.assign(data, { settled_by: { part: 1.5 } }))
  const page = await look(await start(), '#/compare')
  await drop(page, entries)
  const row = page.locator('.results > li', { hasText: 'data.settled_by' })
  await see(row, 'summary', /2 findings · 2 places$/)
  await see(row, 'p', /^POST \/v2\/transactions\/cashin data\.settled_by, in entry \d+ of the recording$/)
  await see(row, 'p', /^cashin\.confirmed data\.settled_by, in entry \d+ of the recording$/)
  expect(await row.locator('.exchange').allTextContents()).toEqual(['Platform: {"part":1.5}Sandbox: absent'])
})

test.each([
  ['hello', /^Este arquivo não é JSON, .*Escolha um arquivo HAR 1\.2: /],
  ['[]', /^Este arquivo não é uma gravação da plataforma\. Escolha um arquivo HAR 1\.2: /],
  [harOf([]), /^Esta gravação não tem chamadas .*escolha o novo arquivo\.$/],
])('a wrong file is answered with a sentence in the language of the page: %s', async (text, sentence) => {
  const page = await look(await start(), '?lang=pt#/compare', { tolerate: /status of 4\d\d/ })
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from(text) }
  await page.locator('input[type=file]').setInputFiles(file)
  await see(page, '.failure', sentence)
})

test('while a recording is compared, the page names it and asks for no file', async () => {
  const page = await look(await start(), '#/compare')
  const { read } = await holdBack(page, /\/compare$/)
  await drop(page, await recordTraffic({}, playCharges))
  await see(page, '[role=status]', /^Comparing recording\.har…/)
  expect(await page.locator('.drop').count()).toBe(0)
  read()
  await see(page, '.drop', /Choose another file/)
})

test('the dashboard says beside the version how far the sandbox is known to agree with the platform, and leads to the figures', async () => {
  const page = await look(await start())
  await page.getByRole('link', { name: 'Not compared with the real platform yet' }).click()
  await see(page, '.facts div', /^Rules with a probe\d+ of \d+$/)
})
