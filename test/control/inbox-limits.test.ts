/** Inboxes of a shared sandbox: callers without the token can post to them and cannot harm their owner. */
import { describe, expect, test } from 'vitest'
import { inboxLimits } from '../../src/core/webhooks/inbox.js'
import { openClient } from '../support/client.js'
import { send } from '../support/http.js'
import { openSandbox } from '../support/sandbox.js'

describe('an inbox that strangers can reach', () => {
  const adminToken = 'a-token-for-this-test'
  const token = { 'X-Sandbox-Admin-Token': adminToken }

  /** A shared sandbox, where callers without the token are strangers. */
  async function shared() {
    const { url } = await openSandbox({ clock: 'manual', demoSecrets: 'known' }, { host: '0.0.0.0', adminToken })
    const owner = (method: string, path: string, body?: unknown) => send(method, `${url}/_sandbox${path}`, body, token)
    const stranger = (name: string, body: string) => send('POST', `${url}/_sandbox/inbox/${name}`, body)
    const texts = async (name: string): Promise<string[]> =>
      (await owner('GET', `/inbox/${name}?limit=500`)).body.data.map(({ raw }: { raw: string }) => raw)
    return { url, owner, stranger, texts }
  }

  test('accepts a bounded number of their messages, and evicts nothing', async () => {
    const { owner, stranger, texts } = await shared()
    await owner('POST', '/inbox/mine', { from: 'the owner' })
    const text = 'x'.repeat(inboxLimits.strangers.chars / 3 - 1000)
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) statuses.push((await stranger('mine', text)).status)
    expect(statuses).toEqual([200, 200, 200, 507, 507])
    const refused = await stranger('mine', text)
    expect(refused.body.error).toMatchObject({ code: 'INBOX_FULL', details: { inbox: 'mine' } })
    for (let at = 0; at < 45; at++) await owner('POST', '/inbox/mine', 'y'.repeat(200_000))
    expect((await texts('mine')).filter((raw) => raw === text)).toHaveLength(3)
    expect((await owner('DELETE', '/inbox/mine')).status).toBe(204)
    expect((await stranger('mine', text)).status).toBe(404)
  })

  test('counts their messages for each name', async () => {
    const { owner, stranger } = await shared()
    for (const name of ['one', 'two']) await owner('PUT', `/inbox/${name}`, { responses: [] })
    for (let at = 0; at < inboxLimits.strangers.messages; at++) expect((await stranger('one', 'x')).status).toBe(200)
    expect((await stranger('one', 'x')).status).toBe(507)
    expect((await stranger('two', 'x')).status).toBe(200)
  })

  test('is created by its owner only', async () => {
    const { owner, stranger } = await shared()
    await owner('PUT', '/inbox/planned', { responses: [{ status: 503 }] })
    for (let at = 0; at <= inboxLimits.inboxes; at++) expect((await stranger(`box-${at}`, 'x')).status).toBe(404)
    expect((await owner('GET', '/inbox')).body.data.map(({ name }: { name: string }) => name)).toEqual(['planned'])
  })

  test('uses its planned responses only for webhooks of the sandbox, which create it as well', async () => {
    const { url, owner, stranger, texts } = await shared()
    await owner('PUT', '/inbox/planned', { responses: [{ status: 503 }, { status: 202 }] })
    for (let at = 0; at < 3; at++) expect((await stranger('planned', 'theirs')).status).toBe(200)
    const api = await openClient(url)
    for (const name of ['planned', 'new']) {
      const id = await api.charge({ postback_url: `${url}/_sandbox/inbox/${name}` })
      await owner('POST', '/trigger', { action: 'cashin.pay', id })
    }
    await owner('POST', '/clock/advance', { by: '1m' })
    const { data } = (await owner('GET', '/webhooks')).body
    const statuses = async ({ id }: { id: string }) =>
      (await owner('GET', `/webhooks/${id}`)).body.attempts.map(({ status }: { status: number }) => status)
    expect(await Promise.all(data.map(statuses))).toEqual([[200], [503, 202]])
    expect((await texts('new')).length).toBe(1)
    expect((await texts('planned')).filter((raw) => raw !== 'theirs')).toHaveLength(2)
    const [{ headers }] = (await owner('GET', '/inbox/new')).body.data
    const elsewhere = `${url}/_sandbox/inbox/third`
    expect((await send('POST', elsewhere, '{}', { 'X-Webhook-Id': headers['x-webhook-id'] })).status).toBe(404)
  })
})
