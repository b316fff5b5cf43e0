/** What the sandbox reports about calls and runs stands on the pages in their language. */
import { expect, test } from 'vitest'
import { callWarnings } from '../../src/protocol/platform/warnings.js'
import { built } from '../support/built.js'
import { live, look, see, start } from '../support/dashboard.js'
import { translations } from '../support/page-texts.js'

test('every warning of the request log has a translation', () => {
  const messages = Object.entries(callWarnings).map(([code, { message }]) => {
    const text = `${message('{}').replaceAll(/\d+/g, '{}')}.`
    return code === 'paid_twice' ? text.replace('external_id', '{}') : text
  })
  for (const language of ['pt', 'es'] as const)
    expect(messages.filter((text) => !(text in translations(language)))).toEqual([])
})

test('warnings and the steps of a run are in the language of the page', async () => {
  await built()
  const sandbox = await start()
  await sandbox.scenarios.arm('webhook-tampered', { times: 1 })
  const wrong = { amount: 25.5, currency: 'BRL', amout: 1, 'no {} field': 2 } as const
  await sandbox.client().cashin(wrong)
  const { data } = await sandbox.control.call<{ data: { request_id: string }[] }>('GET', '/requests?warnings=true')
  const page = await look(sandbox, `?lang=pt#/requests/${data[0]?.request_id}`)
  await live(page)
  await see(page, '.warnings li', 'amout não é um campo desta chamada e não tem efeito; você quis dizer amount?')
  await see(page, '.warnings li', 'no {} field não é um campo desta chamada e não tem efeito.')
  await see(page, '.warnings li', 'external_id está ausente; sem ele, uma chamada repetida cria um segundo objeto.')
  expect(await page.locator('.warnings [lang=en]').count()).toBe(0)

  const { data: runs } = await sandbox.control.call<{ data: { id: string }[] }>('GET', '/runs')
  await page.goto(`${new URL(sandbox.url).origin}/#/runs/${runs[0]?.id}`)
  await see(page, '.run-steps p.faint', 'aplicado à chamada correspondente')
  await see(page, '.run-steps p.faint', 'criado pela chamada correspondente')
})
