/** Calls both APIs with a client generated from the OpenAPI document. A test compiles and runs it beside the generated `schema.d.ts`. */
import createClient from 'openapi-fetch'
import type { paths } from './schema.js'

const baseUrl = process.argv[2] ?? ''
const sandbox = createClient<paths>({ baseUrl })

const { data: accounts } = await sandbox.GET('/_sandbox/accounts')
const merchant = accounts?.data.find(({ username }) => username === 'merchant')
const credential = merchant?.credentials[0]
if (credential === undefined) throw new Error('no credential')

const { data: token } = await sandbox.POST('/v2/oauth/token', {
  body: { grant_type: 'client_credentials' },
  headers: { Authorization: `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}` },
})
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token?.access_token}` } })

const { data: charge, error: refused } = await api.POST('/v2/transactions/cashin', {
  body: { amount: 25.5, currency: 'BRL' },
})
if (charge === undefined) throw new Error(refused.error.message)
const info = charge.data.payment_info
const code: string = 'qrcode' in info ? info.qrcode : ''

const { data: paid } = await sandbox.POST('/_sandbox/trigger', {
  body: { action: 'cashin.pay', id: charge.data.transaction_id },
})
if (paid?.action !== 'cashin.pay') throw new Error('not paid')
const status: 'pending' | 'confirmed' | 'expired' | 'refunded' = paid.object.status

const { data: walked } = await sandbox.POST('/_sandbox/clock/advance', { body: { by: '10m' } })
const { data: list } = await sandbox.GET('/_sandbox/transactions', { params: { query: { status: 'confirmed' } } })
const { data: one } = await sandbox.GET('/_sandbox/transactions/{id}', {
  params: { path: { id: charge.data.transaction_id } },
})
const { data: mine } = await api.POST('/v2/account/transactions/list', { body: {} })
const item = mine?.data.items[0]
const payer = item?.type === 'cashin' ? item.payer : null
const { error } = await sandbox.GET('/_sandbox/webhooks/{id}', { params: { path: { id: 'evt_none' } } })
const { response: gone } = await sandbox.DELETE('/_sandbox/inbox/{name}', { params: { path: { name: 'mine' } } })

console.log(
  JSON.stringify({
    code: code.slice(0, 6),
    status,
    event: paid.events[0]?.event,
    onlyDelivered: walked?.ran.every(({ job }) => job === 'deliver'),
    listed: list?.data.length,
    allowed: one?.allowed,
    payer,
    refusal: error?.error.code,
    gone: gone.status,
  }),
)
