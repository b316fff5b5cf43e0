/** A sandbox in which a little of everything has happened: for looking at. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'

export interface World {
  sandbox: Sandbox
  ids: {
    paid: string
    waiting: string
    crypto: string
    refused: string
    dispute: string
    wallet: string
    webhook: string
    unsigned: string
    run: string
  }
  close(): Promise<void>
}

/** Stands for an integrator that answers well, save for what is about `fails`. */
async function openIntegrator() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const ok = request.url !== '/broken'
      response.writeHead(ok ? 200 : 500, { 'Content-Type': 'application/json' })
      response.end(ok ? '{"received":true}' : '{"error":"database is locked"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => new Promise<void>((resolve) => void server.close(() => resolve())) }
}

export async function openWorld(): Promise<World> {
  const integrator = await openIntegrator()
  const sandbox = await startSandbox({
    clock: 'manual',
    seed: 'dashboard',
    rateLimits: false,
    webhookUrl: `${integrator.url}/webhooks`,
  })
  const ids = await fill(sandbox, integrator.url)
  return {
    sandbox,
    ids,
    close: async () => {
      await sandbox.close()
      await integrator.close()
    },
  }
}

const maria = { name: 'Maria Souza', document: '52998224725' }

async function fill(sandbox: Sandbox, url: string): Promise<World['ids']> {
  const api = sandbox.client()
  const step = (by: string) => sandbox.clock.advance(by)
  const paid = await api.cashin({ amount: 149.9, currency: 'BRL', external_id: 'order-1041', payer: maria })
  await step('42s')
  await sandbox.trigger('cashin.pay', { id: paid.transaction_id })
  const disputed = await api.cashin({
    amount: 320,
    currency: 'BRL',
    external_id: 'order-1042',
    payer: { name: 'João Pereira' },
  })
  await step('3m')
  await sandbox.trigger('cashin.pay', { id: disputed.transaction_id })
  await sandbox.trigger('dispute.open', { id: disputed.transaction_id })
  const refused = await api.cashin({
    amount: 75.25,
    currency: 'BRL',
    external_id: 'order-1043',
    postback_url: `${url}/broken`,
  })
  await sandbox.trigger('cashin.pay', { id: refused.transaction_id })
  await step('40s')
  const run = await sandbox.scenarios.run('med-dispute-lost', { fast_forward: true })
  await sandbox.scenarios.arm('tron-energy-fail', { times: 2 })
  await sandbox.clock.advance('5m')
  const opened2 = await api.cashin({ amount: 88, currency: 'BRL', external_id: 'order-1048', payer: maria })
  await sandbox.trigger('cashin.pay', { id: opened2.transaction_id })
  const dispute = await sandbox.trigger('dispute.open', { id: opened2.transaction_id })

  const wallet = await api.wallet({ currency: 'BTC', chain: 'bitcoin' })
  await sandbox.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '0.0125' })
  await api.transfer({ username: 'customer', amount: 50, currency: 'BRL', external_id: 'gift-7' })
  await api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 1000, external_id: 'fx-12' })
  const unsigned = await call(sandbox, '/v2/transactions/cashout')
  await step('1m')
  await api.cashout({
    amount: 250,
    currency: 'BRL',
    key: 'maria@example.com',
    key_type: 'email',
    external_id: 'payout-88',
  })
  const crypto = await api.cashin({ amount: 0.015, currency: 'ETH', chain: 'ethereum', external_id: 'order-1049' })
  const broken = await api.cashin({
    amount: 42,
    currency: 'BRL',
    external_id: 'order-1050',
    postback_url: `${url}/broken`,
    payer: maria,
  })
  await sandbox.trigger('cashin.pay', { id: broken.transaction_id })
  await step('7s')
  const waiting = await api.cashin({ amount: 25.5, currency: 'BRL', external_id: 'order-1051', payer: maria })
  const hooks = await sandbox.control.call<{ data: { id: string }[] }>(
    'GET',
    `/webhooks?transaction_id=${broken.transaction_id}`,
  )
  await sandbox.snapshot('before-the-demo')
  await sandbox.workspace('pull-request-12')
  return {
    paid: broken.transaction_id,
    waiting: waiting.transaction_id,
    crypto: crypto.transaction_id,
    refused: refused.transaction_id,
    dispute: String((dispute.object as { infraction_id?: unknown }).infraction_id),
    wallet: String(wallet.wallet_id),
    webhook: hooks.data[0]?.id ?? '',
    unsigned,
    run: run.id,
  }
}

/** A withdrawal whose body was signed before it was changed: for the signature doctor. */
async function call(sandbox: Sandbox, path: string): Promise<string> {
  const { access_token } = await sandbox.client().token()
  const answer = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${access_token}`,
      'Content-Type': 'application/json',
      'X-Signature': 'ab'.repeat(32),
      'X-Timestamp': String(Math.floor(Date.now() / 1000)),
      'X-Nonce': crypto.randomUUID(),
    },
    body: JSON.stringify({ amount: 10, currency: 'BRL', key: 'maria@example.com', external_id: 'payout-87' }),
  })
  return answer.headers.get('x-request-id') ?? ''
}
