/** Search for objects by any known value. */
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/testing/index.js'

interface Hit {
  kind: string
  id: string
  matched: string
  value: string
  amount: string | null
  external_id: string | null
}

test('search finds objects by ids, orders, payers, proofs, addresses and events', async () => {
  await using sandbox = await startSandbox({ clock: 'manual' })
  const api = sandbox.client()
  const find = async (q: string, more = '') => {
    const { data } = await sandbox.control.call<{ data: Hit[] }>('GET', `/search?q=${encodeURIComponent(q)}${more}`)
    return data
  }
  const payer = { name: 'Zélia Quintana' }
  const charge = await api.cashin({ amount: 25, currency: 'BRL', external_id: 'Order-1042-XY', payer })
  const { object } = await sandbox.trigger('cashin.pay', { id: charge.transaction_id })
  const wallet = await api.wallet({ currency: 'BTC', chain: 'bitcoin' })
  const opened = await sandbox.trigger('dispute.open', { id: charge.transaction_id })
  const e2e = String((object as { e2e_id?: string }).e2e_id)
  const id = charge.transaction_id
  expect(await find(id)).toMatchObject([{ kind: 'transaction', id, matched: 'id', amount: '25.00' }])
  expect(await find('Order-10')).toMatchObject([{ id, matched: 'external_id', value: 'Order-1042-XY' }])
  expect(await find('1042-xy')).toMatchObject([{ id, matched: 'external_id' }])
  expect(await find('quintana')).toMatchObject([
    { id, matched: 'payer', value: 'Zélia Quintana', external_id: 'Order-1042-XY' },
  ])
  expect((await find(e2e)).map(({ kind, matched }) => [kind, matched])).toEqual([
    ['transaction', 'proof'],
    ['dispute', 'e2e_id'],
  ])
  expect(await find(wallet.address.slice(4, 20))).toMatchObject([{ kind: 'wallet', matched: 'address' }])
  expect(await find(String(opened.object.infraction_id))).toMatchObject([{ kind: 'dispute', matched: 'id' }])
  expect((await find('chargeback')).map(({ kind }) => kind)).toEqual(['webhook'])
  // The text between the values of the details must not be found.
  expect(await find('"name"')).toEqual([])
  expect(await find('%')).toEqual([])
  for (let more = 0; more < 12; more++) await api.cashin({ amount: 5, currency: 'BRL', external_id: `bulk-${more}` })
  expect(await find('bulk-')).toHaveLength(8)
  expect(await find('ulk-', '&limit=3')).toHaveLength(3)
})

test('an empty or too long search is rejected', async () => {
  await using sandbox = await startSandbox()
  const ask = async (query: string) => (await fetch(`${sandbox.url}/_sandbox/search${query}`)).status
  expect(await Promise.all(['', '?q=', `?q=${'x'.repeat(201)}`, '?q=a&limit=51'].map(ask))).toEqual([
    400, 422, 422, 422,
  ])
})
