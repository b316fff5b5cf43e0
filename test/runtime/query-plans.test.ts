/** Every statement of a call uses an index: records statements at the driver while all endpoints and control routes are called, then explains them. */
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { basicOf, requestToken } from '../support/client.js'
import { send } from '../support/http.js'
import { openWithReceivers } from '../support/sandbox.js'
import { secretsOf } from '../support/signing.js'

/** Small tables, which do not grow with use, and lists in parameters. */
const small = ['meta', 'accounts', 'scenarios', 'arms', 'account_limits', 'account_fees', 'json_each']

/** Intended scans: reads when a database is opened, the first entry of the index of due jobs, and the count of jobs that the clock shows. */
const meant = [
  /from "nonces" where expires_wall_ms > \?$/,
  /from jobs where claimed = 0 order by due_at_ms, seq limit 1$/,
  /^select count\(\*\) as value from jobs$/,
]

/** Statements with a limit and without a condition, which read the first or last rows. */
const isEnd = (text: string) => !/\bwhere\b/i.test(text) && /\blimit (\?|\d+)$/i.test(text.trim())

interface Statement {
  source: string
  database: Database.Database
}

/** The statements that ran on any database since then. */
function record(): Map<string, Database.Database> {
  const run = new Map<string, Database.Database>()
  const probe = new Database(':memory:')
  const prototype = Object.getPrototypeOf(probe.prepare('select 1')) as Record<string, (...args: unknown[]) => unknown>
  for (const name of ['get', 'all', 'run', 'iterate']) {
    const original = prototype[name]
    if (original === undefined) throw new Error(`the driver has no ${name}`)
    prototype[name] = function (this: Statement, ...args: unknown[]) {
      run.set(this.source, this.database)
      return original.apply(this, args)
    }
  }
  return run
}

function plan(database: Database.Database, text: string): string[] {
  const holes = text.replace(/'[^']*'/g, '').split('?').length - 1
  const rows = database.prepare(`explain query plan ${text}`).all(...Array(holes).fill(null)) as { detail: string }[]
  return rows.map((row) => row.detail)
}

test('no call scans a table that grows', async () => {
  const sandbox = await openWithReceivers()
  const run = record()
  const api = await sandbox.api()
  const pix = { amount: 20, currency: 'BRL', external_id: 'pix', split: [{ username: 'customer', percentage: 10 }] }
  const { data: charge } = await api.cashin(pix)
  await api.cashin(pix)
  await api.cashin({ amount: 20, currency: 'USDT', chain: 'tron' })
  await sandbox.trigger('cashin.pay', 'pix')
  await api.cashout({ external_id: 'out', amount: 5, currency: 'BRL', key: 'ana@example.com' })
  await api.signed('/v2/pix/payment', { amount: 5, creditParty: { key: 'ana@example.com' } })
  await sandbox.trigger('cashout.fail')
  const { data: wallet } = await api.post('/v2/transactions/wallet', { currency: 'MXN' })
  await sandbox.trigger('wallet.deposit', wallet.address, { amount: 50 })
  await sandbox.trigger('wallet.deposit', undefined, { amount: 50 })
  await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 1, currency: 'BRL' })
  const pair = { base_currency: 'BRL', destination_currency: 'MXN', amount: 10 }
  for (const kind of ['rate', 'simulate']) await api.post(`/v2/conversions/${kind}`, pair)
  const { data: conversion } = await api.signed('/v2/conversions/new', pair)
  await sandbox.trigger('conversion.refund', conversion.conversion_id)
  const { body: opened } = await sandbox.trigger('dispute.open')
  const disputeId = opened.object.infraction_id
  await sandbox.trigger('dispute.respond', disputeId, { message: 'sent' })
  await sandbox.trigger('dispute.win')
  await sandbox.trigger('cashin.refund', charge.transaction_id)
  await sandbox.trigger('cashin.refund')
  for (const filter of [{}, { status: 'confirmed', type: 'cashin', source: 'static' }, { currency: 'MXN' }])
    await api.post('/v2/account/transactions/list', { ...filter, from_date: '2020-01-01', to_date: '2999-01-01' })
  for (const path of ['balance', 'profile', 'limits', 'fees', 'infractions', 'infractions?status=open&type=x'])
    await api.get(`/v2/account/${path}`)
  await api.get(`/v2/account/infractions/detail?id=${disputeId}`)
  await sandbox.advance('3s')
  await send('GET', `${sandbox.url}/v2/account/balance`, undefined, { Authorization: 'Bearer at_unknown' })
  await requestToken(sandbox.url, basicOf(secretsOf('customer').clientId, 'wrong'))
  const { body: hooks } = await sandbox.control('GET', '/webhooks?limit=5')
  const paths = [
    '/transactions?external_id=pix',
    '/transactions?type=cashin&status=confirmed&account=merchant',
    '/transactions/pix',
    `/transactions/${charge.transaction_id}`,
    '/disputes',
    `/disputes/${disputeId}`,
    '/wallets',
    `/wallets/${wallet.wallet_id}`,
    '/webhooks?event=cashin.confirmed',
    `/webhooks?transaction_id=${charge.transaction_id}`,
    `/webhooks/${hooks.data[0].id}`,
    '/webhooks/wait?event=cashin.confirmed&timeout=1ms',
    '/webhooks/wait?external_id=pix&timeout=1ms',
    '/requests',
    '/runs',
    '/scenarios',
    '/accounts',
    '/accounts/merchant',
    '/clock',
    '/health',
  ]
  for (const path of paths) expect((await sandbox.control('GET', path)).status, path).toBeLessThan(409)
  await sandbox.control('POST', `/webhooks/${hooks.data[0].id}/redeliver`)
  await sandbox.control('PATCH', '/accounts/merchant', {
    limits: [{ currency: 'BRL', operation: 'cashin', min_amount: '2' }],
  })
  await sandbox.control('POST', '/scenarios/pix-paid/run', { fast_forward: true })
  await sandbox.advance('8d')

  const statements = [...run].filter(([text]) => /^\s*(select|update|delete|with|insert)/i.test(text))
  expect(statements.length).toBeGreaterThan(60)
  const scans = statements.flatMap(([text, database]) =>
    (isEnd(text) || meant.some((one) => one.test(text)) ? [] : plan(database, text))
      .filter((step) => /^SCAN (?!CONSTANT|\(subquery)/.test(step))
      .filter((step) => !small.includes(step.split(' ')[1] ?? ''))
      .map((step) => `${step}: ${text}`),
  )
  expect(scans).toEqual([])
  for (const one of meant)
    expect(
      statements.some(([text]) => one.test(text)),
      String(one),
    ).toBe(true)
})
