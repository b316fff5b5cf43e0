/** A small shop from end to end: a customer pays on the payer's page, and the shop gets the webhook. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox, verifyWebhook } from '../../src/testing/index.js'
import { browserOf } from '../support/browser.js'

const textOf = async (request: IncomingMessage) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Orders by number; `secret` is that of its webhooks. */
async function openShop(sandbox: Sandbox): Promise<string> {
  const secret = sandbox.accounts.merchant?.credentials[0]?.webhook_secret ?? ''
  const orders = new Map<string, { state: string; payUrl: string }>()
  const page = (response: ServerResponse, body: string) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Shop</title>${body}`)

  const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<unknown> | unknown> = {
    'GET /': (_, response) => page(response, '<form method=post action=/buy><button>Buy the mug</button></form>'),
    'POST /buy': async (_, response) => {
      const number = `mug-${orders.size + 1}`
      const charge = await sandbox.client().cashin({ amount: 49.9, currency: 'BRL', external_id: number })
      const { pay_url } = (await sandbox.control.call('GET /transactions/{id}', {
        params: { id: charge.transaction_id },
      })) as { pay_url: string }
      orders.set(number, { state: 'waiting for the payment', payUrl: pay_url })
      response.writeHead(303, { Location: `/order?${number}` }).end()
    },
    'GET /order': (request, response) => {
      const { state, payUrl } = orders.get(request.url?.split('?')[1] ?? '') ?? { state: 'unknown', payUrl: '' }
      page(response, `<h1>Your order is ${state}</h1><a href="${payUrl}">Pay</a>`)
    },
    'POST /webhooks': async (request, response) => {
      const verdict = verifyWebhook({ secret, body: await textOf(request), headers: request.headers })
      if (!verdict.ok) return response.writeHead(401).end()
      const { event, data } = verdict.event
      const order = orders.get('external_id' in data ? (data.external_id ?? '') : '')
      if (order !== undefined)
        order.state = event === 'cashin.confirmed' ? 'paid' : event === 'cashin.refunded' ? 'returned' : 'not paid'
      return response.writeHead(200).end()
    },
  }
  const server = createServer((request, response) => {
    const route = routes[`${request.method} ${request.url?.split('?')[0]}`]
    if (route === undefined) response.writeHead(404).end()
    else void route(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a customer of the example shop pays and sees the order paid; another lets the charge expire', async () => {
  const sandbox = await startSandbox({ clock: 'manual', rateLimits: false })
  onTestFinished(() => sandbox.close())
  const shop = await openShop(sandbox)
  const clientId = sandbox.accounts.merchant?.credentials[0]?.client_id ?? ''
  await sandbox.control.call('PATCH /credentials/{client_id}', {
    params: { client_id: clientId },
    body: { postback_url: `${shop}/webhooks` },
  })
  const page = await (await browserOf()).newPage({ locale: 'pt-BR' })
  const orderIs = async (order: string, state: string) => {
    await page.goto(`${shop}/order?${order}`)
    await page.getByRole('heading', { name: `Your order is ${state}` }).waitFor()
  }
  const buy = async () => {
    await page.goto(shop)
    await page.getByRole('button', { name: 'Buy the mug' }).click()
    await page.getByRole('heading', { name: 'Your order is waiting for the payment' }).waitFor()
    await page.getByRole('link', { name: 'Pay' }).click()
    await page.getByRole('heading', { name: 'R$ 49,90' }).waitFor()
  }

  await buy()
  await page.getByRole('button', { name: 'Pagar', exact: true }).click()
  await page.getByText('O pagamento foi recebido.').waitFor()
  await sandbox.webhooks.waitFor('cashin.confirmed', { external_id: 'mug-1' })
  await orderIs('mug-1', 'paid')
  await sandbox.trigger('cashin.refund', { id: 'mug-1' })
  await sandbox.webhooks.waitFor('cashin.refunded', { external_id: 'mug-1' })
  await orderIs('mug-1', 'returned')

  await buy()
  await page.getByRole('button', { name: 'Expirar' }).click()
  await page.getByText('Esta cobrança não pode mais ser paga.').waitFor()
  await sandbox.webhooks.waitFor('cashin.expired', { external_id: 'mug-2' })
  await orderIs('mug-2', 'not paid')
  expect(await sandbox.transactions.list()).toMatchObject([{ status: 'expired' }, { status: 'refunded' }])
})
