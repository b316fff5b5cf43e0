/** What a newcomer does in the first minutes, with nothing but HTTP to the real program; and that a kill loses no event. */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startForTest, temporaryFolder } from './support/program.js'

interface Post {
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver that answers with what `status` says; `next` waits for a post of that event. */
async function openReceiver(status: () => number) {
  const posts: Post[] = []
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      posts.push({ headers: request.headers, body })
      response.writeHead(status()).end()
      for (const wake of waiting.splice(0)) wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const next = async (event: string): Promise<Post> => {
    for (;;) {
      const found = posts.find((post) => post.headers['x-webhook-event'] === event)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, posts, next }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read by name, and the test fails where a name is missing
type Json = any

function client(base: string, credential: Json) {
  const json = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Json> => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const answer = await fetch(base + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
    return answer.json()
  }
  const basic = `Basic ${btoa(`${credential.client_id}:${credential.client_secret}`)}`
  const bearer = async () => {
    const token = await json('POST', '/v2/oauth/token', { grant_type: 'client_credentials' }, { Authorization: basic })
    return { Authorization: `Bearer ${token.access_token}` }
  }
  const signed = (body: unknown) => {
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomUUID()]
    const signature = createHmac('sha256', credential.signing_key)
      .update(`${timestamp}.${nonce}.${JSON.stringify(body)}`)
      .digest('hex')
    return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
  }
  return { json, bearer, signed }
}

/** As §6.1 asks of a receiver. */
function expectGenuine({ headers, body }: Post, secret: string): void {
  expect(headers['x-webhook-signature']).toBe(createHmac('sha256', secret).update(body).digest('hex'))
  expect(Math.abs(Number(headers['x-webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(300)
  expect(headers['user-agent']).toBe('Service-Webhook/2.0')
  expect(headers['x-sandbox']).toBe('1')
  expect(headers['x-webhook-id']).toMatch(/^evt_./)
}

test('token, charge, payment, withdrawal that fails, dispute that is lost: every step over HTTP alone', async () => {
  const receiver = await openReceiver(() => 200)
  const { ready } = await startForTest(['--webhook-url', receiver.url])
  const credential = ready.accounts[0]?.credentials[0]
  const { json, bearer, signed } = client(ready.base_url, credential)
  const auth = await bearer()
  const secret = String(credential?.webhook_secret)

  const charge = await json(
    'POST',
    '/v2/transactions/cashin',
    { amount: 25, currency: 'BRL', external_id: 'order-1' },
    auth,
  )
  expect(charge.data).toMatchObject({ status: 'pending', amount: 25, payment_method: 'pix' })
  await json('POST', '/_sandbox/trigger', { action: 'cashin.pay' })
  const paid = await receiver.next('cashin.confirmed')
  expectGenuine(paid, secret)
  expect(JSON.parse(paid.body)).toMatchObject({
    event: 'cashin.confirmed',
    transaction_id: charge.data.transaction_id,
    data: { amount: '25.00', external_id: 'order-1' },
  })

  const balances = () => json('GET', '/v2/account/balance', undefined, auth)
  const before = (await balances()).data
  const withdrawal = {
    external_id: 'w-1',
    amount: 10,
    currency: 'USDT',
    network: 'tron',
    key: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  }
  const accepted = await json('POST', '/v2/transactions/cashout', withdrawal, { ...auth, ...signed(withdrawal) })
  expect(accepted.data.status).toBe('pending')
  await json('POST', '/_sandbox/trigger', { action: 'cashout.fail', error_code: 'TRON_ENERGY_FAIL' })
  const failed = await receiver.next('cashout.failed')
  expectGenuine(failed, secret)
  expect(JSON.parse(failed.body).data).toMatchObject({
    transaction_id: accepted.data.transaction_id,
    error_code: 'TRON_ENERGY_FAIL',
    refunded_amount: '11.00',
  })
  expect((await balances()).data).toEqual(before)

  await json('POST', '/_sandbox/trigger', { action: 'dispute.open' })
  await json('POST', '/_sandbox/trigger', { action: 'dispute.lose' })
  const lost = await receiver.next('chargeback.lost')
  const refunded = await receiver.next('cashin.refunded')
  for (const post of [lost, refunded]) expectGenuine(post, secret)
  expect(JSON.parse(refunded.body).data).toMatchObject({
    original_transaction_id: charge.data.transaction_id,
    amount_refunded: '25.00',
  })
  expect((await json('GET', '/_sandbox/ledger')).balanced).toBe(true)
})

test('an event whose delivery a kill cut short arrives after the restart, same id and same bytes', async () => {
  let answer = 500
  const receiver = await openReceiver(() => answer)
  const args = ['--db', join(temporaryFolder(), 'state.sqlite'), '--webhook-url', receiver.url]

  const first = await startForTest(args)
  const { json, bearer } = client(first.ready.base_url, first.ready.accounts[0]?.credentials[0])
  await json('POST', '/v2/transactions/cashin', { amount: 25, currency: 'BRL' }, await bearer())
  await json('POST', '/_sandbox/trigger', { action: 'cashin.pay' })
  const refused = await receiver.next('cashin.confirmed')
  first.child.kill('SIGKILL')
  await new Promise((resolve) => first.child.once('exit', resolve))

  answer = 200
  receiver.posts.length = 0
  await startForTest(args)
  const arrived = await receiver.next('cashin.confirmed')
  expect(arrived.body).toBe(refused.body)
  expect(arrived.headers['x-webhook-id']).toBe(refused.headers['x-webhook-id'])
})
