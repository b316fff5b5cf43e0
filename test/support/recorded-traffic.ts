/** An integrator's calls and events of every kind, for tests of comparisons. */
import { apiClientFor } from '../../src/client/api.js'
import type { Send } from '../../src/client/exchange.js'
import { type Sandbox, startSandbox } from '../../src/testing/index.js'
import type { StartOptions } from '../../src/testing/options.js'
import { type HarEntry, openRecorder, type Recorder } from './recording.js'

export interface Player {
  sandbox: Sandbox
  api: ReturnType<typeof apiClientFor>
  /** Sends a call without token and signature. */
  raw(path: string, body: unknown, headers?: Record<string, string>): Promise<void>
}

export interface Played extends Player {
  recorder: Recorder
}

/** Plays calls to `baseUrl`, such as a recorder's, through `send`. */
export function playerOf(sandbox: Sandbox, baseUrl: string, send: Send = fetch): Player {
  const { client_id: clientId, client_secret: clientSecret, signing_key: signingKey } = sandbox.accounts.merchant
  const api = apiClientFor(baseUrl, async () => ({ clientId, clientSecret, signingKey }), send)
  const raw = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const type = { 'content-type': 'application/json', ...headers }
    const answer = await send(baseUrl + path, { method: 'POST', headers: type, body: JSON.stringify(body) })
    await answer.text()
  }
  return { sandbox, api, raw }
}

/** Records the calls of `play` on a sandbox with these options and a clock that stands still. */
export async function recordTraffic(
  options: StartOptions = {},
  play: (played: Played) => Promise<void> = playEverything,
): Promise<HarEntry[]> {
  const sandbox = await startSandbox({ clock: 'manual', seed: 'platform', ...options })
  try {
    const recorder = await openRecorder(sandbox.url)
    await sandbox.configure('merchant', { postback_url: recorder.hooksUrl })
    await play({ ...playerOf(sandbox, recorder.url), recorder })
    return recorder.entries
  } finally {
    await sandbox.close()
  }
}

const payer = { name: 'Maria Souza', document: '52998224725' }

export async function playEverything(played: Player): Promise<void> {
  await playCharges(played)
  await playWithdrawals(played)
  await playTransfers(played)
  await playErrors(played)
  await playDisputes(played)
  await playLists(played)
}

const refused = () => undefined
const flush = ({ sandbox }: Player) => sandbox.clock.advance(0)

export async function playCharges(played: Player): Promise<void> {
  const { sandbox, api } = played
  const pix = await api.cashin({ amount: 150.5, currency: 'BRL', external_id: 'order-1', payer })
  await api.cashin({ amount: 150.5, currency: 'BRL', external_id: 'order-1', payer })
  await sandbox.trigger('cashin.pay', { id: pix.transaction_id })
  await flush(played)
  const crypto = await api.cashin({ amount: 50, currency: 'USDT', chain: 'tron', external_id: 'order-2' })
  await sandbox.trigger('cashin.pay', { id: crypto.transaction_id, amount: 49.5 })
  await flush(played)
  const spei = await api.cashin({ amount: 250, currency: 'MXN', external_id: 'order-3' })
  await sandbox.clock.advance('3m')
  await sandbox.trigger('cashin.pay', { id: spei.transaction_id, payer: { name: 'Ana Lima' } })
  await flush(played)
  const unpaid = await api.cashin({ amount: 10, currency: 'BRL' })
  await sandbox.clock.advance('2h')
  void unpaid
  await sandbox.trigger('cashin.refund', { id: pix.transaction_id, amount: 20, reason: 'SENT_TOO_MUCH' })
  await flush(played)
  const wallet = await api.wallet({ currency: 'USDT', chain: 'tron' })
  await flush(played)
  await sandbox.trigger('wallet.deposit', { id: String(wallet.wallet_id), amount: 12.5 })
  await flush(played)
}

export async function playWithdrawals(played: Player): Promise<void> {
  const { sandbox, api } = played
  await api.cashout({ external_id: 'payout-1', amount: 80, currency: 'BRL', key: '52998224725', key_type: 'cpf' })
  await sandbox.clock.advance('10s')
  await api.cashout({
    external_id: 'payout-2',
    amount: 10,
    currency: 'USDT',
    network: 'tron',
    key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  })
  await sandbox.clock.advance('10s')
  const failing = await api.cashout({ external_id: 'payout-3', amount: 30, currency: 'BRL', key: 'ana@example.com' })
  await sandbox.trigger('cashout.fail', { id: failing.transaction_id, error_code: 'PIX_KEY_NOT_FOUND' })
  await flush(played)
  const back = await api.cashout({
    external_id: 'payout-4',
    amount: 100,
    currency: 'MXN',
    key: '032180000118359719',
    name: 'Ana Souza',
  })
  await sandbox.clock.advance('10s')
  await sandbox.trigger('cashout.refund', { id: back.transaction_id })
  await flush(played)
  await api.pixPayment({ amount: 5, external_id: 'payout-5', creditParty: { key: '52998224725', keyType: 'cpf' } })
  await sandbox.clock.advance('10s')
}

export async function playTransfers(played: Player): Promise<void> {
  const { sandbox, api } = played
  await api.transfer({
    username: 'customer',
    amount: 25,
    currency: 'BRL',
    external_id: 'transfer-1',
    description: 'Dinner',
  })
  await flush(played)
  await api.rate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
  await api.simulate({ base_currency: 'BRL', destination_currency: 'USDT', amount: 100 })
  const conversion = await api.conversion({
    base_currency: 'BRL',
    destination_currency: 'USDT',
    amount: 100,
    external_id: 'conversion-1',
  })
  await flush(played)
  await sandbox.trigger('conversion.refund', { id: conversion.conversion_id })
  await flush(played)
}

export async function playErrors(played: Player): Promise<void> {
  const { api, raw } = played
  await api.cashin({ amount: 0.5, currency: 'BRL' }).catch(refused)
  await api.cashin({ amount: 200000, currency: 'BRL' }).catch(refused)
  await api.cashin({ amount: 5, currency: 'EUR' as never }).catch(refused)
  await api.cashin({ currency: 'BRL' } as never).catch(refused)
  await api.cashin({ amount: 5, currency: 'USDT', chain: 'bitcoin' }).catch(refused)
  await api.cashin({ amount: 7, currency: 'BRL', external_id: 'order-1' }).catch(refused)
  await api.cashout({ external_id: 'payout-9', amount: 99000, currency: 'BRL', key: '52998224725' }).catch(refused)
  await raw('/v2/transactions/cashin', { amount: 5, currency: 'BRL' })
  await raw('/v2/transactions/cashin', { amount: 5, currency: 'BRL' }, { authorization: 'Bearer nonsense' })
  await raw('/v2/oauth/token', { grant_type: 'client_credentials' }, { authorization: `Basic ${btoa('nobody:wrong')}` })
}

export async function playDisputes(played: Player): Promise<void> {
  const { sandbox, api } = played
  const paid = async (externalId: string) => {
    const charge = await api.cashin({ amount: 60, currency: 'BRL', external_id: externalId })
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
    await flush(played)
    const { object } = await sandbox.trigger('dispute.open', { id: charge.transaction_id })
    await flush(played)
    return object.infraction_id
  }
  const won = await paid('order-11')
  await api.infractionList({ page: 1, page_size: 50 })
  await api
    .infractionReply({ id: won, message: 'Delivered' }, {
      files: [{ name: 'receipt.pdf', content: '%PDF-1.4\n%%EOF\n' }],
    } as never)
    .catch(refused)
  await flush(played)
  await sandbox.trigger('dispute.win', { id: won })
  await flush(played)
  await api.infractionDetail({ id: won })
  const lost = await paid('order-12')
  await sandbox.trigger('dispute.lose', { id: lost })
  await flush(played)
  await paid('order-13')
  await sandbox.clock.advance('8d')
}

export async function playLists({ api }: Player): Promise<void> {
  await api.transactionList({ page: 1, page_size: 50 })
  await api.transactionList({ page: 1, page_size: 3, type: 'cashin', status: 'confirmed' })
  await api.balance()
  await api.profile()
  await api.limits()
  await api.fees()
}

/** Plays rare calls, which depend on most of the settings of assumptions. */
export async function playRare(played: Player): Promise<void> {
  const { sandbox, api } = played
  await api.cashin({ amount: 5, currency: 'BRL', payer: { name: 'Rui', document: '11111111111' } }).catch(refused)
  await api.cashin({ amount: 5, currency: 'BRL', chain: 'tron' }).catch(refused)
  const ether = await api.cashin({ amount: 20, currency: 'USDT', chain: 'ethereum', external_id: 'order-21' })
  await sandbox.trigger('cashin.pay', { id: ether.transaction_id })
  await flush(played)
  await api.cashin({ amount: 300, currency: 'MXN', external_id: 'order-22' })
  await sandbox.clock.advance('45m')
  await api.wallet({ currency: 'BRL' })
  await flush(played)
  await api.wallet({ currency: 'BRL' })
  await flush(played)
  await api
    .cashout({ external_id: 'payout-21', amount: 3, currency: 'BRL', key: 'nobody', key_type: 'cpf' })
    .catch(refused)
  await sandbox.clock.advance('10s')
  await api.rate({ base_currency: 'BRL', destination_currency: 'BRL', amount: 10 }).catch(refused)
  await api.simulate({ base_currency: 'BRL', destination_currency: 'MXN', amount: 10 })
  await api.transactionList({ type: 'refund' as never }).catch(refused)
  await sandbox.clock.advance('3h')
  await api.transactionList({})
}
