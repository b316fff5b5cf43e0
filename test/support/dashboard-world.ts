/** A sandbox with objects, events and calls of every kind, for pictures of the dashboard. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CashinRequest, type Sandbox, startSandbox } from '../../src/testing/index.js'

export interface World {
  sandbox: Sandbox
  ids: Record<'paid' | 'waiting' | 'crypto' | 'dispute' | 'wallet' | 'webhook' | 'unsigned' | 'run', string>
  close(): Promise<void>
}

/** Starts a receiver that accepts every webhook except at `/broken`. */
async function openIntegrator() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const ok = request.url !== '/broken'
      response.writeHead(ok ? 200 : 500, { 'Content-Type': 'application/json' })
      response.end(ok ? '{"received":true}' : '{"error":"database is locked"}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => new Promise<void>((resolve) => void server.close(() => resolve())) }
}

export async function openWorld(): Promise<World> {
  const { url, close } = await openIntegrator()
  const sandbox = await startSandbox({
    clock: 'manual',
    seed: 'dashboard',
    rateLimits: false,
    webhookUrl: `${url}/webhooks`,
  })
  await longAgo(sandbox, `${url}/broken`)
  const ids = { ...(await theOtherDay(sandbox)), ...(await justNow(sandbox, `${url}/broken`)) }
  await sandbox.snapshot('before-the-demo')
  await sandbox.workspace('pull-request-12')
  return {
    sandbox,
    ids,
    close: async () => {
      await sandbox.close()
      await close()
    },
  }
}

const maria = { name: 'Maria Souza', document: '52998224725' }

async function paidCharge(sandbox: Sandbox, request: Omit<CashinRequest, 'currency'>): Promise<string> {
  const { transaction_id } = await sandbox.client().cashin({ currency: 'BRL', ...request })
  await sandbox.trigger('cashin.pay', { id: transaction_id })
  return transaction_id
}

async function longAgo(sandbox: Sandbox, broken: string): Promise<void> {
  await paidCharge(sandbox, { amount: 149.9, external_id: 'order-1041', payer: maria })
  await sandbox.clock.advance('3m')
  const id = await paidCharge(sandbox, { amount: 320, external_id: 'order-1042', payer: { name: 'João Pereira' } })
  await sandbox.trigger('dispute.open', { id })
  await paidCharge(sandbox, { amount: 75.25, external_id: 'order-1043', postback_url: broken })
  await sandbox.clock.advance('40s')
}

async function theOtherDay(sandbox: Sandbox) {
  const api = sandbox.client()
  const run = await sandbox.scenarios.run('med-dispute-lost', { fast_forward: true })
  await sandbox.scenarios.arm('tron-energy-fail', { times: 2 })
  await sandbox.clock.advance('5m')
  const id = await paidCharge(sandbox, { amount: 88, external_id: 'order-1048', payer: maria })
  const { object } = await sandbox.trigger('dispute.open', { id })
  const wallet = await api.wallet({ currency: 'BTC', chain: 'bitcoin' })
  await sandbox.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '0.0125' })
  await api.transfer({ username: 'customer', amount: 50, currency: 'BRL', external_id: 'gift-7' })
  await api.conversion({ base_currency: 'BRL', destination_currency: 'USDT', amount: 1000, external_id: 'fx-12' })
  return {
    run: run.id,
    dispute: object.infraction_id,
    wallet: String(wallet.wallet_id),
    unsigned: await callWithWrongSignature(sandbox),
  }
}

async function justNow(sandbox: Sandbox, broken: string) {
  const api = sandbox.client()
  await sandbox.clock.advance('1m')
  await api.cashout({ amount: 250, currency: 'BRL', key: 'maria@example.com', external_id: 'payout-88' })
  const crypto = await api.cashin({ amount: 0.015, currency: 'ETH', chain: 'ethereum', external_id: 'order-1049' })
  const charge = { amount: 42, external_id: 'order-1050', payer: maria, postback_url: broken }
  const { transaction_id: paid } = await api.cashin({ currency: 'BRL', ...charge })
  await sandbox.clock.advance('25s')
  await sandbox.trigger('cashin.pay', { id: paid })
  await sandbox.clock.advance('7s')
  const waiting = await api.cashin({ amount: 25.5, currency: 'BRL', external_id: 'order-1051', payer: maria })
  const hooks = await sandbox.control.call<{ data: { id: string }[] }>('GET', `/webhooks?transaction_id=${paid}`)
  return {
    paid,
    waiting: waiting.transaction_id,
    crypto: crypto.transaction_id,
    webhook: hooks.data[0]?.id ?? '',
  }
}

/** Returns the request id of a withdrawal with a wrong signature, for the signature doctor. */
async function callWithWrongSignature(sandbox: Sandbox): Promise<string> {
  const { access_token } = await sandbox.client().token()
  const answer = await fetch(`${sandbox.url}/v2/transactions/cashout`, {
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
