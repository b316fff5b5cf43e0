/** The languages of the payer's page: which one is used, and its amounts, times, steps and receipts. */
import { describe, expect, test } from 'vitest'
import { openPage, overflowing } from '../support/browser.js'
import { openClient } from '../support/client.js'
import { control, send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

const charges = {
  pix: { amount: 1149.9, currency: 'BRL' },
  spei: { amount: 1149.9, currency: 'MXN' },
  crypto: { amount: 0.0125, currency: 'BTC', chain: 'bitcoin' },
}
type RailName = keyof typeof charges

const dayMs = 86_400_000

/** Opens a sandbox at 02:30 UTC, which is the day before in São Paulo and in Mexico City. */
async function charging() {
  const { url } = await openSandbox({ clock: 'manual' })
  const call = control(url)
  const { body } = await call('GET', '/clock')
  const to = new Date(Math.ceil(Date.parse(body.now) / dayMs) * dayMs + 2.5 * 3_600_000).toISOString()
  await call('POST', '/clock/advance', { to })
  const api = await openClient(url)
  const charge = async (rail: RailName, changes: object = {}): Promise<string> => {
    const answer = await api.post('/v2/transactions/cashin', { ...charges[rail], ...changes })
    expect(answer.status, answer.text).toBe(200)
    return answer.body.data.transaction_id
  }
  /** Returns the page's text, with ordinary spaces, and its language. */
  const read = async (id: string, query = '', acceptLanguage = '') => {
    const headers: Record<string, string> = acceptLanguage === '' ? {} : { 'Accept-Language': acceptLanguage }
    const { text } = await send('GET', `${url}/pay/${id}${query}`, undefined, headers)
    return {
      text: (text.split('<aside')[0] ?? '').replace(/[\u00a0\u202f]/g, ' '),
      lang: /<html lang="(\w+)">/.exec(text)?.[1] ?? '',
    }
  }
  return { url, call, charge, read }
}

const expected: Record<RailName, Record<'pt' | 'es' | 'en', readonly string[]>> = {
  pix: {
    pt: ['R$ 1.149,90', 'Pagar para', 'Expira em', 'Pix Copia e Cola', 'Abra o app do seu banco'],
    es: ['R$1,149.90', 'Pagar a', 'Vence en', 'Pix Copia e Cola', 'Abre la app de tu banco en Brasil'],
    en: ['R$1,149.90', 'Pay to', 'Time left', 'Pix Copia e Cola', 'Open your Brazilian bank'],
  },
  spei: {
    pt: ['MX$ 1.149,90', 'CLABE', 'Descrição (concepto)', 'Referência (referencia)', 'transferir por SPEI'],
    es: ['$1,149.90 MXN', 'CLABE', 'Concepto', 'Referencia', 'Beneficiario', 'Copia la CLABE y captura'],
    en: ['$1,149.90 MXN', 'CLABE', 'concepto', 'referencia', 'Copy the CLABE'],
  },
  crypto: {
    pt: ['0,0125 BTC', 'Endereço', 'envie exatamente 0,0125 BTC', 'Aguarde 2 confirmações'],
    es: ['0.0125 BTC', 'Dirección', 'envía exactamente 0.0125 BTC', 'Espera 2 confirmaciones'],
    en: ['0.0125 BTC', 'Address', 'send exactly 0.0125 BTC', 'Wait for 2 confirmations'],
  },
}

describe("the language of the payer's page", () => {
  test('is that of the rail if the caller requests none, and each rail supports all three', async () => {
    const { charge, read } = await charging()
    const usual = { pix: 'pt', spei: 'es', crypto: 'en' } as const
    for (const rail of ['pix', 'spei', 'crypto'] as const) {
      const id = await charge(rail)
      expect((await read(id)).lang).toBe(usual[rail])
      for (const lang of ['pt', 'es', 'en'] as const) {
        const page = await read(id, `?lang=${lang}`)
        expect(page.lang).toBe(lang)
        for (const text of expected[rail][lang]) expect(page.text, `${rail} ${lang}`).toContain(text)
        expect(page.text.match(/<li>/g)).toHaveLength(3)
      }
    }
  })

  test('is taken from lang, then from Accept-Language by its weights, then from the rail', async () => {
    const { charge, read } = await charging()
    const id = await charge('pix')
    const rows: readonly [query: string, acceptLanguage: string, lang: string][] = [
      ['?lang=es', 'en', 'es'],
      ['?lang=ES-mx&from=mail', 'en', 'es'],
      ['?lang=fr', 'en', 'en'],
      ['?lang=', '', 'pt'],
      ['?lang=constructor', '', 'pt'],
      ['', 'en-GB,en;q=0.9', 'en'],
      ['', 'fr,en;q=0.3,es;q=0.7', 'es'],
      ['', 'fr;q=1, *;q=0.5', 'pt'],
      ['', 'en;q=0, fr', 'pt'],
      ['', 'es-419', 'es'],
      ['', ';;,q=,"', 'pt'],
    ]
    for (const [query, acceptLanguage, lang] of rows)
      expect((await read(id, query, acceptLanguage)).lang, `${query} ${acceptLanguage}`).toBe(lang)
    expect((await read('tx_nope')).text).toContain('Unknown charge')
    expect((await read('tx_nope', '?lang=pt')).text).toContain('Cobrança não encontrada')
  })

  test('is part of the ETag, and caches are asked to keep the languages apart', async () => {
    const { url, charge } = await charging()
    const id = await charge('pix')
    const path = `${url}/pay/${id}`
    const { headers } = await send('GET', path)
    expect(headers.get('vary')).toBe('Accept-Language')
    const etag = { 'If-None-Match': headers.get('etag') ?? '' }
    expect((await send('GET', path, undefined, etag)).status).toBe(304)
    expect((await send('GET', path, undefined, { ...etag, 'Accept-Language': 'en' })).status).toBe(200)
  })
})

test('amounts are written in full, whatever their size', async () => {
  const { charge, read } = await charging()
  const rows: readonly [RailName, object, string, string][] = [
    ['pix', { amount: 1 }, 'pt', '>R$ 1,00<'],
    ['pix', { amount: 99999.99 }, 'pt', '>R$ 99.999,99<'],
    ['spei', { amount: 499999.05 }, 'es', '>$499,999.05 MXN<'],
    ['crypto', { amount: 0.00012345 }, 'en', '>0.00012345 BTC<'],
    ['crypto', { amount: 1.1 }, 'pt', '>1,10 BTC<'],
    ['crypto', { amount: 50_000, currency: 'USDT', chain: 'tron' }, 'es', '>50,000.00 USDT<'],
  ]
  for (const [rail, changes, lang, price] of rows)
    expect((await read(await charge(rail, changes), `?lang=${lang}`)).text).toContain(price)
})

describe('a receipt', () => {
  const receipts: Record<RailName, readonly string[]> = {
    pix: ['Comprovante', 'Quem pagou', 'R$ 1.149,90', ', 23:30 (Brasília)'],
    spei: ['Comprobante', 'Ordenante', '$1,149.90 MXN', ', 20:30 (CDMX)'],
    crypto: ['Receipt', 'Payer', '0.0125 BTC', ', 02:30 (UTC)'],
  }

  test('has the amount, payer, local time, proof of the rail and transaction', async () => {
    const { call, charge, read } = await charging()
    for (const rail of ['pix', 'spei', 'crypto'] as const) {
      const id = await charge(rail)
      expect((await read(id)).text).not.toContain(receipts[rail][0])
      await call('POST', '/trigger', { action: 'cashin.pay', id, payer: { name: 'Ana <b>Souza</b>' } })
      const { body } = await call('GET', `/transactions/${id}`)
      const proof = body.e2e_id ?? body.tracking_key ?? body.hash
      const { text } = await read(id)
      for (const part of [...receipts[rail], id, proof, 'Ana &lt;b&gt;Souza']) expect(text, rail).toContain(part)
    }
  })

  test('remains after a refund, with what was returned, and does not exist for an expired charge', async () => {
    const { call, charge, read } = await charging()
    const id = await charge('pix')
    await call('POST', '/trigger', { action: 'cashin.pay', id })
    await call('POST', '/trigger', { action: 'cashin.refund', id, amount: 30.0 })
    const { text } = await read(id)
    for (const part of ['Devolvido em parte', 'Comprovante', 'Valor devolvido', 'R$ 30,00 de R$ 1.149,90 foram'])
      expect(text).toContain(part)
    const late = await charge('spei')
    await call('POST', '/trigger', { action: 'cashin.expire', id: late })
    const expired = await read(late)
    expect(expired.text).toContain('Este cobro ya no se puede pagar')
    expect(expired.text).not.toContain('Comprobante')
  })
})

test('a Brazilian with a small phone copies the code and sees the receipt, and the toolbar covers nothing', async () => {
  const { url, charge } = await charging()
  const id = await charge('pix')
  const { page, problems } = await openPage(url, { width: 320, height: 560 })
  await page.goto(`${url}/pay/${id}?lang=pt`)
  await page.getByRole('heading', { name: 'R$ 1.149,90' }).waitFor()
  await page.getByRole('button', { name: 'Copiar' }).click()
  await page.getByRole('button', { name: 'Copiado' }).waitFor()
  const [content, bar] = await Promise.all(['main', 'aside'].map((name) => page.locator(name).boundingBox()))
  expect((content?.y ?? 0) + (content?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1)
  expect(await page.locator('aside').textContent()).toContain('nenhum dinheiro real é movido; o relógio está parado')
  await page.getByRole('button', { name: 'Pagar', exact: true }).click()
  await page.getByRole('heading', { name: 'Comprovante' }).waitFor()
  expect(await overflowing(page)).toEqual([])
  expect(problems).toEqual([])
})
