/** A shared sandbox gives no access to its network: it sends no webhook to a private address in any notation. */
import { describe, expect, test } from 'vitest'
import { openClient } from '../support/client.js'
import { type Body, send } from '../support/http.js'
import { openReceiver } from '../support/receiver.js'
import { openSandbox } from '../support/sandbox.js'

const adminToken = 'a-token-for-this-test'

/** The sandbox listens on every address and is called over loopback. */
async function shared(allowHosts: string[] = []) {
  const sandbox = await openSandbox(
    { clock: 'manual', demoSecrets: 'known' },
    { host: '0.0.0.0', adminToken, allowHosts },
  )
  const control = (method: string, path: string, body?: unknown) =>
    send(method, `${sandbox.url}/_sandbox${path}`, body, { 'X-Sandbox-Admin-Token': adminToken })
  const api = await openClient(sandbox.url)
  return { control, api }
}

const notations = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `http://localhost.:${port}/`,
  `http://127.1:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://[64:ff9b::7f00:1]:${port}/`,
  `http://[::]:${port}/`,
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  `https://127.0.0.1:${port}/`,
  'https://169.254.169.254/',
]

describe('in shared mode', () => {
  test('a private address is unreachable in any notation, as the URL of a transaction or of a credential', async () => {
    const posts = await openReceiver()
    const { control, api } = await shared()
    const answers: string[] = []
    for (const [index, url] of notations(posts.port).entries()) {
      const external_id = `order-${index}`
      const made = await api.post('/v2/transactions/cashin', {
        amount: 5,
        currency: 'BRL',
        external_id,
        postback_url: url,
      })
      answers.push(made.status === 200 ? 'accepted' : made.body.error.code)
      if (made.status === 200) await control('POST', '/trigger', { action: 'cashin.pay', id: external_id })
    }
    await control('POST', '/clock/advance', { until: 'idle' })
    const { data } = (await control('GET', '/webhooks?limit=100')).body
    for (const { id, url } of data) {
      const event: Body = (await control('GET', `/webhooks/${id}`)).body
      expect([url, event.status, event.attempts.length]).toEqual([url, 'failed', 6])
      for (const { outcome, status, detail } of event.attempts) {
        expect([url, status, detail]).toEqual([
          url,
          null,
          expect.stringMatching(/is not allowed to call|not a private address/),
        ])
        expect(['refused', 'insecure_url']).toContain(outcome)
      }
    }
    expect(data.length).toBe(answers.filter((answer) => answer === 'accepted').length)
    expect([...new Set(answers)].toSorted()).toEqual(['INVALID_POSTBACK_URL', 'accepted'])
    expect(posts.all).toEqual([])
  })

  test('an allowed host name is reachable', async () => {
    const posts = await openReceiver()
    const { control, api } = await shared(['127.0.0.1'])
    await api.charge({ external_id: 'order', postback_url: posts.url })
    await control('POST', '/trigger', { action: 'cashin.pay', id: 'order' })
    await control('POST', '/clock/advance', { by: 0 })
    expect((await control('GET', '/webhooks')).body.data).toMatchObject([{ status: 'delivered' }])
    expect(posts.all).toHaveLength(1)
  })
})

test('on loopback private addresses are reachable', async () => {
  const posts = await openReceiver()
  const sandbox = await openSandbox({ clock: 'manual' })
  const api = await openClient(sandbox.url)
  const control = (method: string, path: string, body?: unknown) => send(method, `${sandbox.url}/_sandbox${path}`, body)
  const urls = ['127.0.0.1', 'localhost', '127.1'].map((name) => `http://${name}:${posts.port}/`)
  for (const [index, url] of urls.entries()) {
    await api.charge({ external_id: `order-${index}`, postback_url: url })
    await control('POST', '/trigger', { action: 'cashin.pay', id: `order-${index}` })
  }
  await control('POST', '/clock/advance', { by: 0 })
  expect(posts.all).toHaveLength(3)
})

describe("the sandbox's own inboxes", () => {
  const headers = { 'X-Sandbox-Admin-Token': adminToken }

  test.each([
    ['in shared mode', {}, { host: '0.0.0.0', adminToken }],
    ['with strict webhooks', { strictWebhooks: true }, {}],
    ['with both', { strictWebhooks: true }, { host: '0.0.0.0', adminToken }],
  ])('receive webhooks %s, of every workspace', async (_name, config, options) => {
    const sandbox = await openSandbox({ clock: 'manual', demoSecrets: 'known', ...config }, options)
    const ask = async (path: string, body?: unknown) =>
      (await send(body === undefined ? 'GET' : 'POST', sandbox.url + path, body, headers)).body
    await ask('/_sandbox/workspaces', { name: 'team' })
    for (const place of ['', '/w/team']) {
      const api = await openClient(sandbox.url + place)
      const inbox = `${sandbox.url}${place}/_sandbox/inbox/mine`
      await api.charge({ external_id: 'order', postback_url: inbox })
      await ask(`${place}/_sandbox/trigger`, { action: 'cashin.pay', id: 'order' })
      await ask(`${place}/_sandbox/clock/advance`, { by: 0 })
      const [message] = (await ask(`${place}/_sandbox/inbox/mine`)).data
      expect(message).toMatchObject({ signature_valid: true, body: { event: 'cashin.confirmed' } })
      const [{ id }] = (await ask(`${place}/_sandbox/webhooks`)).data
      const { attempts } = await ask(`${place}/_sandbox/webhooks/${id}`)
      expect(attempts).toMatchObject([{ number: 1, outcome: 'ok', status: 200 }])
      for (const [name, value] of Object.entries(attempts[0].request_headers))
        expect(message.headers[name.toLowerCase()]).toBe(value)
    }
  })

  test.each([
    ['in shared mode', {}, { host: '0.0.0.0', adminToken }, 'refused'],
    ['with strict webhooks', { strictWebhooks: true }, {}, 'insecure_url'],
  ])(
    'make no other address reachable: one that only resembles an inbox is rejected %s',
    async (_name, config, options, outcome) => {
      const posts = await openReceiver()
      const sandbox = await openSandbox({ clock: 'manual', demoSecrets: 'known', ...config }, options)
      const { port } = new URL(sandbox.url)
      const api = await openClient(sandbox.url)
      const call = async (path: string, body: unknown) =>
        (await send('POST', `${sandbox.url}/_sandbox${path}`, body, headers)).body
      const elsewhere = [
        `http://127.0.0.1:${posts.port}/_sandbox/inbox/mine`,
        `http://localhost:${posts.port}/w/team/_sandbox/inbox/mine`,
        `http://10.255.255.1:${port}/_sandbox/inbox/mine`,
      ]
      for (const [index, postback_url] of elsewhere.entries()) {
        await api.charge({ external_id: `order-${index}`, postback_url })
        await call('/trigger', { action: 'cashin.pay', id: `order-${index}` })
      }
      for (const path of ['/_sandbox/reset', '/_sandbox/clock/advance']) {
        const made = await api.post('/v2/transactions/cashin', {
          amount: 5,
          currency: 'BRL',
          external_id: path,
          postback_url: sandbox.url + path,
        })
        if (made.status === 200) await call('/trigger', { action: 'cashin.pay', id: path })
        else expect(made.body.error.code).toBe('INVALID_POSTBACK_URL')
      }
      await call('/clock/advance', { by: 0 })
      const { body } = await send('GET', `${sandbox.url}/_sandbox/webhooks`, undefined, headers)
      expect(body.data.length).toBeGreaterThanOrEqual(3)
      for (const { id } of body.data) {
        const { attempts } = (await send('GET', `${sandbox.url}/_sandbox/webhooks/${id}`, undefined, headers)).body
        expect(attempts).toMatchObject([{ outcome, status: null }])
      }
      expect(posts.all).toEqual([])
    },
  )
})
