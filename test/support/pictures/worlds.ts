/** Sandboxes in the states in which pages are looked at: with everything, with nothing, with long texts, with very many rows. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type CashinRequest, type Sandbox, startSandbox } from '../../../src/testing/index.js'
import { openWorld } from '../dashboard-world.js'
import { manyCharges } from '../many-charges.js'
import { playCharges, playErrors, playerOf } from '../recorded-traffic.js'

export interface Shown {
  sandbox: Sandbox
  /** Ids of objects, by the names that addresses of views use. */
  ids: Record<string, string>
  /** A file with a recording to compare, in the world with everything. */
  recording: string
  close(): Promise<void>
}

const program = resolve('bin/payments-sandbox.js')

/** The rows of the world with very many of them. */
const manyRows = Number(process.env.PICTURE_ROWS ?? 1_000_000)

export const worlds = {
  full: openFull,
  empty: openEmpty,
  texts: openTexts,
  many: openMany,
  /** Every request of the page waits. */
  loading: openFull,
  /** Every request of the page fails. */
  error: openFull,
} as const satisfies Record<string, () => Promise<Shown>>
export type WorldName = keyof typeof worlds

async function openFull(): Promise<Shown> {
  const { sandbox, ids, close } = await openWorld()
  const api = sandbox.client()
  const of = async (type: string) => {
    const path = `/transactions?type=${type}`
    const { data } = await sandbox.control.call<{ data: { transaction_id: string }[] }>('GET', path)
    return data[0]?.transaction_id ?? ''
  }
  const spei = await api.cashin({ amount: 250, currency: 'MXN', external_id: 'order-mx' })
  const speiPaid = await api.cashin({ amount: 480, currency: 'MXN', external_id: 'order-mx-2' })
  await sandbox.trigger('cashin.pay', { id: speiPaid.transaction_id, payer: { name: 'Ana Lima' } })
  const expired = await api.cashin({ amount: 10, currency: 'BRL', external_id: 'order-late' })
  await sandbox.trigger('cashin.expire', { id: expired.transaction_id })
  const refunded = await api.cashin({ amount: 60, currency: 'BRL', external_id: 'order-back' })
  await sandbox.trigger('cashin.pay', { id: refunded.transaction_id })
  await sandbox.trigger('cashin.refund', { id: refunded.transaction_id, amount: 20 })
  const failed = await api.cashout({ amount: 30, currency: 'BRL', key: 'ana@example.com', external_id: 'payout-89' })
  await sandbox.trigger('cashout.fail', { id: failed.transaction_id, error_code: 'PIX_KEY_NOT_FOUND' })
  const cryptoPaid = await api.cashin({ amount: 50, currency: 'USDT', chain: 'tron', external_id: 'order-usdt' })
  await sandbox.trigger('cashin.pay', { id: cryptoPaid.transaction_id, amount: 49.5 })
  const chargeAfter = async (
    request: CashinRequest,
    ...actions: readonly ('cashin.pay' | 'cashin.expire' | 'cashin.refund')[]
  ) => {
    const { transaction_id: id } = await api.cashin(request)
    for (const action of actions) await sandbox.trigger(action, { id })
    return id
  }
  const reais: CashinRequest = { amount: 45, currency: 'BRL' }
  const pesos: CashinRequest = { amount: 320, currency: 'MXN' }
  const bitcoin: CashinRequest = { amount: 0.002, currency: 'BTC', chain: 'bitcoin' }
  const ended = {
    pixRefunded: await chargeAfter(reais, 'cashin.pay', 'cashin.refund'),
    speiExpired: await chargeAfter(pesos, 'cashin.expire'),
    speiRefunded: await chargeAfter(pesos, 'cashin.pay', 'cashin.refund'),
    cryptoExpired: await chargeAfter(bitcoin, 'cashin.expire'),
    cryptoRefunded: await chargeAfter(bitcoin, 'cashin.pay', 'cashin.refund'),
  }
  await sandbox.clock.advance('2s')
  return {
    sandbox,
    ids: {
      ...ids,
      ...ended,
      request:
        (await sandbox.control.call<{ data: { request_id: string }[] }>('GET', '/requests')).data[0]?.request_id ?? '',
      spei: spei.transaction_id,
      speiPaid: speiPaid.transaction_id,
      expired: expired.transaction_id,
      refunded: refunded.transaction_id,
      failed: failed.transaction_id,
      cryptoPaid: cryptoPaid.transaction_id,
      cashout: await of('cashout&status=confirmed'),
      transfer: await of('transfer'),
      conversion: await of('conversion'),
    },
    recording: await record(),
    close,
  }
}

/** Records the calls of an app to a platform whose charges live for 15 minutes. */
async function record(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'payments-sandbox-pictures-')), 'recording.har')
  const platform = await startSandbox({ clock: 'manual', seed: 'platform', pixChargeLife: '15m' })
  const recorder = spawn(process.execPath, [program, 'record', '--target', platform.url, '--out', file, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(recorder.stdout), 'line')) as [string]
  const played = playerOf(platform, (JSON.parse(line) as { url: string }).url)
  await playCharges(played)
  await playErrors(played)
  recorder.kill('SIGTERM')
  await once(recorder, 'close')
  await platform.close()
  return file
}

async function openEmpty(): Promise<Shown> {
  const sandbox = await startSandbox({ clock: 'manual' })
  return { sandbox, ids: {}, recording: '', close: () => sandbox.close() }
}

/** Names that are long, that read from right to left, and that have no space at which a line could break. */
const names = [
  'Guadalupe Hernández de la Santísima Trinidad y Fernández-Villalobos',
  'محمد بن عبد الرحمن الخوارزمي',
  'שרה כהן־לוי',
  'W'.repeat(80),
  '李小龍',
  '👩‍👩‍👧‍👦 & <b>Söhne</b>',
]

async function openTexts(): Promise<Shown> {
  const sandbox = await startSandbox({
    clock: 'manual',
    rateLimits: false,
    webhookUrl: `http://127.0.0.1:9/${'hooks/'.repeat(20)}`,
  })
  const api = sandbox.client()
  const ids: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const charge = await api.cashin({
      amount: 98765.43,
      currency: 'BRL',
      external_id: index % 2 === 0 ? `طلب-${index}` : `${'reference-'.repeat(12)}${index}`,
      payer: { name, document: '52998224725' },
      description: `${name} `.repeat(3),
    } as never)
    await sandbox.trigger('cashin.pay', { id: charge.transaction_id, payer: { name } })
    ids[`text${index}`] = charge.transaction_id
  }
  const { object } = await sandbox.trigger('dispute.open', { id: ids.text0 ?? '' })
  await sandbox.trigger('dispute.open', { id: ids.text1 ?? '' })
  const waiting = await api.cashin({
    amount: 98765.43,
    currency: 'BRL',
    external_id: 'x'.repeat(150),
    payer: { name: names[1] ?? '' },
  })
  const wallet = await api.wallet({ currency: 'ETH', chain: 'ethereum' })
  await sandbox.trigger('wallet.deposit', { id: wallet.wallet_id, amount: '1234.01234567' })
  await sandbox.snapshot(`a-snapshot-with-a-long-name-${'x'.repeat(22)}`)
  await sandbox.clock.advance('1m')
  const { data } = await sandbox.control.call<{ data: { id: string }[] }>('GET', '/webhooks')
  return {
    sandbox,
    ids: {
      ...ids,
      waiting: waiting.transaction_id,
      dispute: object.infraction_id,
      wallet: String(wallet.wallet_id),
      webhook: data.at(-1)?.id ?? '',
    },
    recording: '',
    close: () => sandbox.close(),
  }
}

async function openMany(): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-sandbox-pictures-'))
  const db = join(folder, 'many.db')
  await manyCharges(db, manyRows)
  const sandbox = await startSandbox({ db, clock: 'manual' })
  return {
    sandbox,
    ids: {},
    recording: '',
    close: async () => {
      await sandbox.close()
      rmSync(folder, { recursive: true })
    },
  }
}
