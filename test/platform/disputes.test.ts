/** Disputes: list, detail, reply with files, deadline, decisions (§3, §4.3, §6.5, decisions 11, 26, 27). */
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Api } from '../support/client.js'
import { type Answer, type Body, readAnswer } from '../support/http.js'
import { utcMoment } from '../support/interface.js'
import { openWithReceivers, type TestSandbox } from '../support/sandbox.js'

let sandbox: TestSandbox
let api: Api
beforeEach(async () => {
  sandbox = await openWithReceivers()
  api = await sandbox.api()
})

const path = '/v2/account/infractions'
const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n')
const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.from('IHDR')])
const jpg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16])

/** Pays a charge of 100.00 and opens a dispute about it. */
async function dispute(params: object = {}): Promise<{ charge: Body; opened: Body }> {
  const { data: charge } = await api.cashin({ amount: 100, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', charge.transaction_id)
  const { body } = await sandbox.trigger('dispute.open', charge.transaction_id, params)
  return { charge, opened: body.object }
}

async function reply(
  fields: Record<string, string>,
  files: [name: string, content: Buffer][] = [],
  by = api,
): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, content] of files) form.append('files[]', new Blob([new Uint8Array(content)]), name)
  const url = `${sandbox.url}${path}/reply`
  const answer = await fetch(url, { method: 'POST', headers: by.bearer, body: form })
  return readAnswer('POST', url, { status: answer.status, headers: answer.headers, text: await answer.text() })
}

const detail = (id: string) => api.get(`/v2/account/infractions/detail?id=${id}`)
const balance = () => api.balance('BRL')

describe('an opened dispute', () => {
  test('blocks the amount, is listed and shown in full, and sends chargeback.opened', async () => {
    const { charge, opened } = await dispute({ type: 'FRAUD', reason: 'not mine' })
    const { data } = await detail(opened.infraction_id)
    expect(data).toEqual({
      infraction_id: opened.infraction_id,
      transaction_id: charge.transaction_id,
      type: 'FRAUD',
      status: 'open',
      amount: 100,
      currency: 'BRL',
      e2e_id: expect.stringMatching(/^E/),
      reason: 'not mine',
      deadline_at: expect.stringMatching(utcMoment),
      created_at: expect.stringMatching(utcMoment),
      resolved_at: null,
      replies: [],
    })
    expect(Date.parse(data.deadline_at) - Date.parse(data.created_at)).toBe(7 * 86_400_000)
    expect(await balance()).toEqual({ available: 9999, blocked: 100, pending: 0 })
    await sandbox.settle()
    const [event] = sandbox.hooks.dataOf('chargeback.opened')
    const { replies: _r, resolved_at: _d, ...reported } = data
    expect(event).toEqual({ ...reported, amount: '100.00' })
    expect(sandbox.hooks.dataOf('cashin.confirmed')[0].e2e_id).toBe(event.e2e_id)
    const { replies, ...listed } = data
    expect((await api.get(path)).data).toEqual({
      items: [listed],
      pagination: { page: 1, page_size: 50, total: 1, total_pages: 1 },
    })
    expect(replies).toEqual([])
  })

  test('is a REFUND_REQUEST over the whole amount by default, or over a part of it', async () => {
    expect((await dispute()).opened).toMatchObject({ type: 'REFUND_REQUEST', amount: '100.00', status: 'open' })
    expect((await dispute({ amount: 30.5 })).opened).toMatchObject({ amount: '30.50' })
    expect((await balance()).blocked).toBe(130.5)
  })

  test('may make the available balance negative, which no other call of the merchant can', async () => {
    const { data } = await api.cashin({ amount: 100, currency: 'BRL' })
    await sandbox.trigger('cashin.pay', data.transaction_id)
    await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '40' })
    await sandbox.trigger('dispute.open', data.transaction_id)
    expect(await balance()).toEqual({ available: -60, blocked: 100, pending: 0 })
    expect((await api.cashout({ external_id: 'w', amount: 1, currency: 'BRL', key: 'a@b.co' })).code).toBe(
      'INSUFFICIENT_BALANCE',
    )
  })

  test('requires a confirmed PIX charge without a dispute, unless the payer canceled the first one', async () => {
    const { charge, opened } = await dispute()
    const why = async (id: string) => (await sandbox.trigger('dispute.open', id)).body.error.message
    expect((await sandbox.trigger('dispute.open', charge.transaction_id)).code).toBe('INVALID_TRANSITION')
    expect(await why(charge.transaction_id)).toContain('it is confirmed and already disputed.')
    const pending = (await api.cashin({ amount: 5, currency: 'BRL' })).data.transaction_id
    expect((await sandbox.trigger('dispute.open', pending)).code).toBe('INVALID_TRANSITION')
    expect(await why(pending)).toContain('it is pending.')
    const usdt = (await api.cashin({ amount: 5, currency: 'USDT', chain: 'tron' })).data.transaction_id
    await sandbox.trigger('cashin.pay', usdt)
    expect((await sandbox.trigger('dispute.open', usdt)).code).toBe('INVALID_TRANSITION')
    expect(await why(usdt)).toContain('only PIX cash-ins can be disputed.')
    await sandbox.trigger('dispute.cancel', opened.infraction_id)
    expect((await sandbox.trigger('dispute.open', charge.transaction_id)).status).toBe(200)
    expect((await sandbox.trigger('cashin.refund', charge.transaction_id)).code).toBe('INVALID_TRANSITION')
  })
})

describe('the list of disputes', () => {
  test('filters by status and type, in pages, for its own account only', async () => {
    const first = (await dispute({ type: 'FRAUD' })).opened.infraction_id
    const second = (await dispute()).opened.infraction_id
    await sandbox.trigger('dispute.win', first)
    const ids = async (query: string) =>
      (await api.get(`${path}?${query}`)).data.items.map((item: Body) => item.infraction_id)
    expect(await ids('')).toEqual([second, first])
    expect(await ids('status=open')).toEqual([second])
    expect(await ids('status=won')).toEqual([first])
    expect(await ids('type=FRAUD')).toEqual([first])
    expect(await ids('type=FRAUD&status=open')).toEqual([])
    expect(await ids('page=2&page_size=1')).toEqual([first])
    expect((await api.get(`${path}?page_size=1`)).data.pagination).toEqual({
      page: 1,
      page_size: 1,
      total: 2,
      total_pages: 2,
    })
    const customer = await sandbox.api('customer')
    expect((await customer.get(path)).data.items).toEqual([])
    expect((await customer.get(`${path}/detail?id=${first}`)).code).toBe('NOT_FOUND')
    for (const query of ['page=0', 'page=x', 'page_size=101', 'page_size=0'])
      expect((await api.get(`${path}?${query}`)).code).toBe('INVALID_VALUE')
  })

  test('links to a detail by its UUID only', async () => {
    const missing = await api.get(`${path}/detail`)
    expect([missing.status, missing.code]).toEqual([400, 'MISSING_REQUIRED_FIELD'])
    const malformed = await detail('abc')
    expect([malformed.status, malformed.code]).toEqual([422, 'INVALID_VALUE'])
    const unknown = await detail('91d65e98-97c0-4b0f-b577-73625da1f9fc')
    expect([unknown.status, unknown.code]).toEqual([404, 'NOT_FOUND'])
  })
})

describe('a reply to a dispute', () => {
  test('with files has their name, size and SHA-256, and sends chargeback.responded', async () => {
    const id = (await dispute()).opened.infraction_id
    const files: [string, Buffer][] = [
      ['nota fiscal.pdf', pdf],
      ['foto.png', png],
      ['recibo.jpg', jpg],
    ]
    const answer = await reply({ id, message: 'It was delivered.' }, files)
    expect(answer.status).toBe(200)
    const described = files.map(([name, content], index) => ({
      name,
      size: content.length,
      type: ['application/pdf', 'image/png', 'image/jpeg'][index],
      sha256: createHash('sha256').update(content).digest('hex'),
    }))
    expect(answer.data).toEqual({
      infraction_id: id,
      transaction_id: expect.any(String),
      reply_id: expect.any(Number),
      status: 'responded',
      files: described,
      responded_at: expect.stringMatching(utcMoment),
    })
    const shown = (await detail(id)).data
    expect(shown.status).toBe('responded')
    expect(shown.replies).toEqual([
      {
        reply_id: answer.data.reply_id,
        message: 'It was delivered.',
        files: described,
        created_at: answer.data.responded_at,
      },
    ])
    await sandbox.settle()
    const { files: _, ...reported } = answer.data
    expect(sandbox.hooks.dataOf('chargeback.responded')).toEqual([reported])
  })

  test('is possible once and before the decision: otherwise 409 INVALID_TRANSITION', async () => {
    const id = (await dispute()).opened.infraction_id
    expect((await reply({ id, message: 'a' })).status).toBe(200)
    const second = await reply({ id, message: 'b' })
    expect([second.status, second.code, second.body.error.details.from]).toEqual([
      409,
      'INVALID_TRANSITION',
      'responded',
    ])
    const ended = (await dispute()).opened.infraction_id
    await sandbox.trigger('dispute.cancel', ended)
    expect((await reply({ id: ended, message: 'a' })).body.error.details).toMatchObject({
      from: 'canceled',
      allowed: [],
    })
    expect((await detail(id)).data.replies).toHaveLength(1)
  })

  test('has a message of 1 to 5000 characters and the id of an own dispute', async () => {
    const id = (await dispute()).opened.infraction_id
    const refusals: [Record<string, string>, number, string][] = [
      [{ message: 'a' }, 400, 'MISSING_REQUIRED_FIELD'],
      [{ id }, 400, 'MISSING_REQUIRED_FIELD'],
      [{ id, message: '' }, 422, 'INVALID_VALUE'],
      [{ id, message: 'x'.repeat(5001) }, 422, 'INVALID_VALUE'],
      [{ id: 'abc', message: 'a' }, 422, 'INVALID_VALUE'],
      [{ id: '91d65e98-97c0-4b0f-b577-73625da1f9fc', message: 'a' }, 404, 'NOT_FOUND'],
    ]
    for (const [fields, status, code] of refusals) {
      const answer = await reply(fields)
      expect([answer.status, answer.code], JSON.stringify(fields).slice(0, 80)).toEqual([status, code])
    }
    expect((await reply({ id, message: 'a' }, [], await sandbox.api('customer'))).code).toBe('NOT_FOUND')
    expect((await reply({ id, message: 'é'.repeat(5000) })).status).toBe(200)
  })

  test('has at most five files of 10 MB, PDF, JPG or PNG by content', async () => {
    const id = (await dispute()).opened.infraction_id
    const big = (bytes: number) => Buffer.concat([pdf, Buffer.alloc(bytes - pdf.length, 32)])
    const refusals: [string, Buffer][][] = [
      [['a.pdf', Buffer.from('hello')]],
      [['a.pdf', Buffer.alloc(0)]],
      [['a.gif', Buffer.from('GIF89a')]],
      [
        ['a.pdf', pdf],
        ['b.pdf', Buffer.from(' %PDF-')],
      ],
      [['a.pdf', big(10 * 1024 * 1024 + 1)]],
      Array.from({ length: 6 }, (_, n) => [`${n}.pdf`, pdf]),
    ]
    for (const files of refusals) {
      const { status, code, body } = await reply({ id, message: 'a' }, files)
      expect([status, code, body.error.details.field]).toEqual([422, 'INVALID_VALUE', 'files[]'])
    }
    const all = Array.from({ length: 5 }, (_, n): [string, Buffer] => [
      `${n}.txt`,
      n === 0 ? big(10 * 1024 * 1024) : png,
    ])
    const { status, data } = await reply({ id, message: 'a' }, all)
    expect([status, data.files.length, data.files[0].size]).toEqual([200, 5, 10 * 1024 * 1024])
  })

  test('is multipart: JSON is 415, a broken body is rejected, one over 50 MB is 413', async () => {
    const id = (await dispute()).opened.infraction_id
    const json = await api.post(`${path}/reply`, { id, message: 'a' })
    expect([json.status, json.code]).toEqual([415, 'UNSUPPORTED_CONTENT_TYPE'])
    const broken = await api.post(`${path}/reply`, 'nonsense', { 'Content-Type': 'multipart/form-data; boundary=x' })
    expect([broken.status, broken.code]).toEqual([400, 'INVALID_JSON'])
    const huge = await reply({ id, message: 'a' }, [['a.pdf', Buffer.alloc(50 * 1024 * 1024 + 1, 65)]])
    expect([huge.status, huge.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })
})

describe('a decision', () => {
  const decisions = [
    [
      'dispute.confirm',
      'confirmed',
      'chargeback.confirmed',
      { confirmed_at: expect.stringMatching(utcMoment) },
      'MED_DISPUTE_CONFIRMED',
    ],
    [
      'dispute.lose',
      'lost',
      'chargeback.lost',
      { amount_refunded: '60.00', resolved_at: expect.stringMatching(utcMoment) },
      'MED_DISPUTE_LOST',
    ],
    ['dispute.win', 'won', 'chargeback.won', { resolved_at: expect.stringMatching(utcMoment) }, null],
    [
      'dispute.cancel',
      'canceled',
      'chargeback.canceled',
      { canceled_by: 'payer', canceled_at: expect.stringMatching(utcMoment) },
      null,
    ],
  ] as const
  const cases = decisions.flatMap((row) =>
    (['open', 'responded'] as const).map((from) => [row[0], from, row[1], row[2], row[3], row[4]] as const),
  )

  test.each(cases)(
    'by %s makes a dispute that is %s become %s, and sends %s',
    async (action, from, status, name, fields, reason) => {
      const { charge, opened } = await dispute({ amount: 60 })
      const id = opened.infraction_id
      if (from === 'responded') await sandbox.trigger('dispute.respond', id, { message: 'delivered' })
      await sandbox.settle()
      const before = sandbox.hooks.names().length
      expect((await sandbox.trigger(action, id)).body.object).toMatchObject({ infraction_id: id, status })
      await sandbox.settle()
      const reported = sandbox.hooks.hooks.slice(before)
      expect(reported.map((hook) => hook.event)).toEqual(reason !== null ? [name, 'cashin.refunded'] : [name])
      expect(reported[0]?.data).toEqual({
        infraction_id: id,
        transaction_id: charge.transaction_id,
        amount: '60.00',
        currency: 'BRL',
        ...(fields as object),
      })
      if (reason !== null) {
        expect(reported[1]?.data).toMatchObject({
          original_transaction_id: charge.transaction_id,
          amount: '100.00',
          amount_refunded: '60.00',
          reason,
          old_balance: '10099.00',
          new_balance: '10039.00',
        })
        expect(reported[1]?.body.transaction_id).not.toBe(charge.transaction_id)
      }
      expect(await balance()).toEqual({ available: reason !== null ? 10039 : 10099, blocked: 0, pending: 0 })
      const { data } = await detail(id)
      expect([data.status, typeof data.resolved_at]).toEqual([status, 'string'])
      const cashin = (await sandbox.control('GET', `/transactions/${charge.transaction_id}`)).body
      expect(cashin.status).toBe(reason !== null ? 'refunded' : 'confirmed')
      for (const [other] of decisions) {
        const again = await sandbox.trigger(other, id)
        expect([again.status, again.body.error.details.allowed]).toEqual([409, []])
      }
      expect((await sandbox.trigger('dispute.respond', id)).code).toBe('INVALID_TRANSITION')
    },
  )

  test('is made automatically after seven days without an answer: confirmed', async () => {
    const { opened } = await dispute()
    await sandbox.advance('604799999ms')
    expect(sandbox.hooks.names()).not.toContain('chargeback.confirmed')
    await sandbox.advance('1ms')
    expect(sandbox.hooks.names().slice(-2)).toEqual(['chargeback.confirmed', 'cashin.refunded'])
    api = await sandbox.api()
    expect((await detail(opened.infraction_id)).data).toMatchObject({
      status: 'confirmed',
      resolved_at: opened.deadline_at,
    })
    expect(await balance()).toEqual({ available: 9999, blocked: 0, pending: 0 })
  })

  test('is not made automatically for an answered dispute, nor if the configuration says manual', async () => {
    const answered = (await dispute()).opened.infraction_id
    await reply({ id: answered, message: 'a' })
    await sandbox.advance('30d')
    api = await sandbox.api()
    expect((await detail(answered)).data.status).toBe('responded')
    sandbox = await openWithReceivers({ disputeDeadline: 'manual' })
    api = await sandbox.api()
    const open = (await dispute()).opened.infraction_id
    await sandbox.advance('30d')
    api = await sandbox.api()
    expect((await detail(open)).data.status).toBe('open')
  })

  test('is a loss if the configuration says so: the payer gets the money, and both events say so', async () => {
    sandbox = await openWithReceivers({ disputeDeadline: 'lose' })
    api = await sandbox.api()
    const { charge, opened } = await dispute()
    await sandbox.advance('7d')
    api = await sandbox.api()
    expect((await detail(opened.infraction_id)).data.status).toBe('lost')
    expect((await sandbox.control('GET', `/transactions/${charge.transaction_id}`)).body.status).toBe('refunded')
    const reported = (await sandbox.control('GET', '/webhooks')).body.data.map((row: { event: string }) => row.event)
    expect(reported.slice(0, 2).sort()).toEqual(['cashin.refunded', 'chargeback.lost'])
  })

  test("in the merchant's favor leaves a charge that can still be refunded, as its actions say", async () => {
    const { charge, opened } = await dispute()
    await sandbox.trigger('dispute.win', opened.infraction_id)
    const { allowed } = (await sandbox.control('GET', `/transactions/${charge.transaction_id}`)).body
    expect(allowed).toEqual(['cashin.refund'])
    expect((await sandbox.trigger('cashin.refund', charge.transaction_id)).status).toBe(200)
  })
})

test('the allowed actions of a disputed charge are empty until the decision', async () => {
  const { charge, opened } = await dispute()
  const allowed = async (kind: string, id: string) => (await sandbox.control('GET', `/${kind}/${id}`)).body.allowed
  expect(await allowed('transactions', charge.transaction_id)).toEqual([])
  expect((await allowed('disputes', opened.infraction_id)).sort()).toEqual([
    'dispute.cancel',
    'dispute.confirm',
    'dispute.lose',
    'dispute.respond',
    'dispute.win',
  ])
})

describe('a reply after the deadline', () => {
  test('is 409 INVALID_TRANSITION on both APIs, also when nothing happens at the deadline itself', async () => {
    sandbox = await openWithReceivers({ disputeDeadline: 'manual' })
    api = await sandbox.api()
    const { opened } = await dispute()
    await sandbox.advance('7d')
    api = await sandbox.api()
    const inTime = await dispute()
    const id = opened.infraction_id
    await sandbox.advance('1ms')
    const late = await reply({ id, message: 'too late' })
    expect([late.status, late.code]).toEqual([409, 'INVALID_TRANSITION'])
    const allowed = ['dispute.confirm', 'dispute.win', 'dispute.lose', 'dispute.cancel']
    expect(late.body.error.details).toMatchObject({ from: 'open', action: 'dispute.respond', allowed })
    expect((await sandbox.trigger('dispute.respond', id)).code).toBe('INVALID_TRANSITION')
    expect((await sandbox.control('GET', `/disputes/${id}`)).body.allowed).toEqual(allowed)
    // Without an id the action takes the newest dispute that allows it.
    const { body } = await sandbox.trigger('dispute.respond')
    expect(body.object.infraction_id).toBe(inTime.opened.infraction_id)
    expect((await sandbox.trigger('dispute.respond')).code).toBe('NOT_FOUND')
    expect((await sandbox.trigger('dispute.win', id)).body.object.status).toBe('won')
  })

  test('is accepted up to the deadline itself', async () => {
    sandbox = await openWithReceivers({ disputeDeadline: 'manual' })
    api = await sandbox.api()
    const { opened } = await dispute()
    await sandbox.advance('7d')
    api = await sandbox.api()
    expect((await reply({ id: opened.infraction_id, message: 'just in time' })).status).toBe(200)
  })
})

test('a dispute blocks the gross amount even when the money has been spent', async () => {
  await sandbox.control('PUT', '/accounts/merchant/balances', { BRL: '0' })
  const { data: charge } = await api.cashin({ amount: 100, currency: 'BRL' })
  await sandbox.trigger('cashin.pay', charge.transaction_id)
  await api.signed('/v2/internal_transfers/payment', { username: 'customer', amount: 90, currency: 'BRL' })
  const { body } = await sandbox.trigger('dispute.open', charge.transaction_id)
  expect(await balance()).toEqual({ available: -91, blocked: 100, pending: 0 })
  await sandbox.trigger('dispute.lose', body.object.infraction_id)
  expect(await balance()).toEqual({ available: -91, blocked: 0, pending: 0 })
  const refused = await api.signed('/v2/internal_transfers/payment', {
    username: 'customer',
    amount: 1,
    currency: 'BRL',
  })
  expect([refused.status, refused.body.error.details]).toEqual([422, { currency: 'BRL', available: -91, required: 1 }])
})
