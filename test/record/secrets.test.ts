/** A recording contains no secret, document, name, key or address: every endpoint is called with known ones, which are hidden in every form. */
import { describe, expect, test } from 'vitest'
import { endpointNames, endpoints } from '../../src/protocol/platform/endpoints.js'
import { openEcho, openTarget, openTestRecorder, post, recordedBodies, type TestRecorder } from '../support/recorder.js'
import { openWithReceivers } from '../support/sandbox.js'
import { secretsOf, signatureOf } from '../support/signing.js'

/** All personal values. The test searches for each, also without punctuation. */
const people = {
  name: 'Xerxes Quinteiro Zardoz',
  document: '746.971.314-01',
  company: '19131243000197',
  email: 'xerxes.quinteiro@zardoz-mail.example',
  phone: '+5511976543218',
  random: '7d9f0335-8dcc-4054-9bf9-0dbd61d36906',
  clabe: '032180000118359719',
  tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  evm: '0x52908400098527886E0F7030069857D2E4169EE7',
  solana: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  description: 'Refund for Wilhelmina Zzyzx',
  file: 'statement-of-quuxley.pdf',
  receiverPath: 'very-secret-receiver-path',
} as const

const spellings = (value: string) => [
  value,
  value.toLowerCase(),
  value.toUpperCase(),
  value.replace(/[^\p{L}\d]/gu, ''),
]

function foundIn(text: string, values: readonly string[]): string[] {
  const flat = text.toLowerCase()
  return values.flatMap(spellings).filter((value) => flat.includes(value.toLowerCase()))
}

const destinations = [
  { currency: 'BRL', key: people.document, key_type: 'cpf' },
  { currency: 'BRL', key: people.company, key_type: 'cnpj' },
  { currency: 'BRL', key: people.email, key_type: 'email' },
  { currency: 'BRL', key: people.phone, key_type: 'phone' },
  { currency: 'BRL', key: people.random, key_type: 'random' },
  { currency: 'MXN', key: people.clabe },
  { currency: 'USDT', key: people.tron, network: 'tron' },
  { currency: 'USDT', key: people.evm, network: 'ethereum' },
  { currency: 'SOL', key: people.solana, network: 'solana' },
  { currency: 'BTC', key: people.bitcoin, network: 'bitcoin' },
]
const chains: Record<string, string> = { USDT: 'tron', SOL: 'solana', BTC: 'bitcoin' }
const chainOf = (currency: string) => (chains[currency] === undefined ? {} : { chain: chains[currency] })
const amounts: Record<string, number> = { BRL: 25, MXN: 250, USDT: 25, SOL: 0.5, BTC: 0.002 }

describe('a recording of all endpoints of the platform API', () => {
  test('a recording of every endpoint contains no secrets and no personal data', async () => {
    const sandbox = await openWithReceivers()
    const recorder = await openTestRecorder(sandbox.url, sandbox.hooks.url)
    const { clientId, clientSecret, signingKey, webhookSecret } = secretsOf('merchant')
    await sandbox.control('PATCH', `/credentials/${clientId}`, {
      postback_url: `${recorder.webhooksUrl}/${people.receiverPath}`,
    })
    const made: string[] = []
    const { call, signed, token, signatures } = await clientOf(recorder, clientId, clientSecret, signingKey, made)

    const payer = { name: people.name, document: people.document, email: people.email }
    const charges: string[] = []
    for (const [currency, amount] of Object.entries(amounts)) {
      const { data } = await call('cashin', {
        ...{
          currency,
          amount,
          external_id: `in-${currency}`,
          payer,
          postback_url: `${recorder.webhooksUrl}/${people.receiverPath}`,
        },
        ...chainOf(currency),
      })
      charges.push(data.transaction_id)
      made.push(...Object.values(data.payment_info as Record<string, unknown>).flatMap(sensitive))
      const wallet = await call('wallet', { currency, ...chainOf(currency) })
      made.push(wallet.data.address)
    }
    for (const id of charges)
      await sandbox.trigger('cashin.pay', id, { payer: { name: people.name, document: people.document } })
    for (const [at, destination] of destinations.entries())
      await signed('cashout', {
        ...destination,
        amount: amounts[destination.currency],
        external_id: `out-${at}`,
        name: people.name,
        description: people.description,
      })
    const creditParty = { name: people.name, keyType: 'email', key: people.email, taxId: people.document }
    await signed('pixPayment', { amount: 5, creditParty, external_id: 'legacy', description: people.description })
    await signed('transfer', {
      username: 'customer',
      amount: 5,
      currency: 'BRL',
      external_id: 't',
      description: people.description,
    })
    const pair = { base_currency: 'BRL', destination_currency: 'USDT', amount: 100 }
    for (const name of ['rate', 'simulate'] as const) await call(name, pair)
    await signed('conversion', { ...pair, external_id: 'c' })
    await sandbox.advance('1h')
    const dispute = await sandbox.trigger('dispute.open', charges[0])
    const id = dispute.body.object.infraction_id
    await call('infractionReply', replyForm(id))
    for (const name of ['balance', 'profile', 'limits', 'fees', 'infractionList'] as const) await call(name)
    await call('infractionDetail', undefined, `?id=${id}&payer=${encodeURIComponent(people.name)}&key=${people.email}`)
    await call('transactionList', { page: 1, page_size: 50 })
    // Errors repeat values of the request.
    await call('cashin', { currency: people.email, amount: 25, payer: { document: people.name } })
    await signed('cashout', {
      currency: 'BRL',
      amount: 5,
      key: people.name,
      external_id: people.document,
      bank_code: people.phone,
    })
    await sandbox.settle()

    await recorder.end()
    const log = recorder.log()
    const called = new Set(log.entries.map(({ request }) => `${request.method} ${new URL(request.url).pathname}`))
    for (const name of endpointNames) expect(called).toContain(`${endpoints[name].method} ${endpoints[name].path}`)
    expect(log.entries.filter((entry) => entry._webhook).length).toBeGreaterThan(15)
    const secrets = [clientSecret, signingKey, webhookSecret, token, btoa(`${clientId}:${clientSecret}`), ...signatures]
    expect(sandbox.hooks.hooks.length).toBeGreaterThan(15)
    secrets.push(...sandbox.hooks.hooks.map(({ headers }) => String(headers['x-webhook-signature'])))
    expect(foundIn(await recorder.text(), [...secrets, ...Object.values(people), ...made])).toEqual([])
    // Only the files of the reply are excluded.
    const cut = log.entries.filter((entry) => JSON.stringify(entry).includes('"_omitted":true'))
    expect(log._omitted, JSON.stringify(cut)).toBe(1)
  })
})

/** The personal values in the response to a charge. */
const sensitive = (value: unknown): string[] =>
  typeof value === 'string' && /^(\d{18}|T\w{33}|bc1\w+|\w{43,44}|0002.*)$/.test(value) ? [value] : []

function replyForm(id: string): FormData {
  const form = new FormData()
  form.set('id', id)
  form.set('message', `Delivered to ${people.name}`)
  form.set('files[]', new Blob([`%PDF-1.4 ${people.name} %%EOF`], { type: 'application/pdf' }), people.file)
  return form
}

async function clientOf(
  recorder: TestRecorder,
  clientId: string,
  clientSecret: string,
  signingKey: string,
  made: string[],
) {
  const basic = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` }
  const issued = await post(`${recorder.url}/v2/oauth/token`, '{"grant_type":"client_credentials"}', basic)
  const token: string = JSON.parse(issued).access_token
  const bearer = {
    Authorization: `Bearer ${token}`,
    Cookie: `session=${people.receiverPath}`,
    'X-Shop-Key': people.receiverPath,
  }
  const signatures: string[] = []
  const send = async (name: keyof typeof endpoints, body: unknown, query: string, more: Record<string, string>) => {
    const { method, path } = endpoints[name]
    const isForm = body instanceof FormData
    const answer = await fetch(recorder.url + path + query, {
      method,
      headers: { ...bearer, ...more, ...(isForm ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    return JSON.parse(await answer.text())
  }
  const signed = async (name: keyof typeof endpoints, body: unknown) => {
    const headers = signatureOf(signingKey, JSON.stringify(body))
    signatures.push(headers['X-Signature'])
    made.push(headers['X-Nonce'])
    return send(name, body, '', headers)
  }
  const call = (name: keyof typeof endpoints, body?: unknown, query = '') => send(name, body, query, {})
  return { call, signed, token, signatures }
}

describe('an API that nobody documented', () => {
  test('a recording of an unknown API leaks no secrets in fields with known names, and no known values', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const body = {
      customer: { first: 'Wilhelmina', contacts: ['+5511976543218'], home: { street: 'Rua Zardoz 17' } },
      accountNumber: '9876543-2',
      motherName: 'Quuxley',
      api_secret: 'qwertzuiop',
      sessionToken: 'asdfghjkl1',
      free: 'call Wilhelmina at xerxes@zardoz.example about 746.971.314-01',
      [people.email]: 1,
      jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
      callback: 'https://user:hunter2hunter2@shop.example/hooks?token=yxcvbnmyxc&email=xerxes%40zardoz.example',
    }
    const misplaced = { external_id: '746.971.314-01', status: 'for xerxes@zardoz.example', amount: '123456789.01' }
    const before = await openTestRecorder(await openEcho())
    await post(`${before.url}/x`, JSON.stringify(misplaced))
    expect(foundIn(await before.text(), ['746.971.314-01', 'xerxes'])).toEqual([])
    expect(await before.text()).toContain('123456789.01')
    await post(`${recorder.url}/x?api_key=mnbvcxylkj`, JSON.stringify(body))
    // From here on the recorder knows the secret under any field name.
    await post(`${recorder.url}/x/qwertzuiop`, JSON.stringify({ other: 'asdfghjkl1', text: 'see qwertzuiop there' }))
    const hunted = ['Wilhelmina', '5511976543218', 'Zardoz', '9876543', 'Quuxley', 'qwertzuiop', 'asdfghjkl1']
    const more = ['746.971.314-01', people.email, 'eyJ', 'hunter2', 'yxcvbnmyxc', 'mnbvcxylkj']
    expect(foundIn(await recorder.text(), [...hunted, ...more])).toEqual([])
    // A platform can reject a URL because it has a user name.
    expect(await recorder.text()).toContain('https://***@shop.example')
  })

  test('a recording leaks nothing from forms, and contains only headers that are known to be harmless', async () => {
    const recorder = await openTestRecorder(
      await openTarget((_incoming, outgoing) => {
        outgoing
          .writeHead(302, {
            Location: '/people/xerxes@zardoz.example',
            'Set-Cookie': 'a=qwertzuiop',
            'X-Trace': 'qwertzuiop',
          })
          .end()
      }),
    )
    await fetch(`${recorder.url}/form`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Referer: 'https://shop.example/qwertzuiop' },
      body: new URLSearchParams({ name: 'Wilhelmina Zzyzx', password: 'qwertzuiop', 'page no': '2' }),
    })
    expect(foundIn(await recorder.text(), ['Wilhelmina', 'Zzyzx', 'qwertzuiop', 'xerxes'])).toEqual([])
    const request = (await recorder.logWithEntry()).entries[0]?.request
    expect(request?.postData?.params).toEqual([
      { name: 'name', value: expect.stringMatching(/^[A-Z][a-z]{9} [A-Z][a-z]{4}$/) },
      { name: 'password', value: '***' },
      { name: 'page no', value: '2' },
    ])
    expect(request?.queryString).toEqual([])
  })

  test('a recording has the scheme of credentials in their own header, another signature, and no name of a person', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const headers = {
      ...{ Authorization: 'Bearer qwertzuiop', 'X-Shop-Thing': 'Bearer asdfghjkl', Wilhelmina: '1' },
      ...{ 'X-Signature': 'ab12'.repeat(16), ETag: '"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY"' },
    }
    await post(`${recorder.url}/any`, '{"name":["Wilhelmina","Host"]}', headers)
    const { entries } = await recorder.logWithEntry()
    const pairs = entries[0]?.request.headers.map(({ name, value }) => [name.toLowerCase(), value] as const) ?? []
    const shown = new Map(pairs)
    const values = ['authorization', 'x-shop-thing', 'etag'].map((name) => shown.get(name))
    expect(values).toEqual(['Bearer ***', '***', headers.ETag])
    expect(shown.get('x-signature')).toMatch(/^(?!ab12ab12)[\da-f]{64}$/)
    expect(['host', 'wilhelmina'].map((name) => shown.has(name))).toEqual([true, false])
  })

  test('a secret is hidden in a header that has nothing else, as it is and in Base64', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const encoded = { ETag: btoa('qwertzuiop'), Pragma: btoa('aqwertzuiop'), Vary: btoa('abqwertzuiop') }
    const headers = { Via: 'wxyz', ...encoded }
    await post(`${recorder.url}/any`, '{"token":["wxyz","qwertzuiop"]}', headers)
    const [entry] = (await recorder.logWithEntry()).entries
    const shown = entry?.request.headers.filter(({ name }) => name in headers).map(({ value }) => value)
    expect(shown).toEqual(Array(4).fill('***'))
  })

  test('a secret is hidden three times in a text, with each kind of escape and without one', async () => {
    const text = String.raw`not \u0071wertzuiop, %71wertzuiop or qwertzuiop now`
    const [, later] = await recordedBodies({ token: 'qwertzuiop' }, { text })
    expect(later).toEqual({ text: 'not ***, *** or *** now' })
  })

  test('an answer in the encoding of forms is recorded without its secrets', async () => {
    const target = await openTarget((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'application/x-www-form-urlencoded' }).end('a=1&token=qwertzuiop')
    })
    const recorder = await openTestRecorder(target)
    await fetch(recorder.url)
    const { entries, _omitted } = await recorder.logWithEntry()
    expect([entries[0]?.response.content.text, _omitted]).toEqual(['a=1&token=***', 0])
  })

  test('a form with a file is recorded with its fields, and without its boundary and the name and content of the file', async () => {
    const recorder = await openTestRecorder(await openTarget((_incoming, outgoing) => outgoing.end()))
    const form = new FormData()
    form.set('page', '2')
    form.set('files[]', new Blob(['0123456789']), people.file)
    await fetch(`${recorder.url}/form`, { method: 'POST', body: form })
    const { entries, _omitted } = await recorder.logWithEntry()
    const file = { fileName: expect.not.stringContaining('quuxley'), comment: '10 bytes are left out' }
    const params = [
      { name: 'page', value: '2' },
      { name: 'files[]', ...file },
    ]
    expect([entries[0]?.request.postData, _omitted]).toEqual([{ mimeType: 'multipart/form-data', params }, 1])
  })
})

const word = 'qwertzuiop'
const hex = (text: string) => Buffer.from(text).toString('hex')
const long = 'correct horse battery staple '.repeat(3).trim()
/** Encoded signs of each kind and length. */
const signs = [
  ...['%01', '%11', '%21', '%31', '%41', '%51', '%61', '%71'],
  ...['%C3%A9', '%D0%B0', '%E4%B8%AD', '%F0%9F%98%80'],
]
const inBase64 = (...texts: string[]) => texts.map((text) => btoa(text))

test.each([
  [
    'within a longer word and in hexadecimal digits',
    ['qrstuv'],
    `aqrstuvb x${hex('qrstuv')} and more`,
    'a***b x*** and more',
  ],
  ['in letters of another script', ['1龍門飛甲乙'], 'see 1龍門飛甲乙!', 'see ***!'],
  ['in several forms in one text', [word], `qwert%7Auiop or ${word} or qwert%7Auiop`, '*** or *** or ***'],
  ['in front of a sign', [word], 'qwert%7Auiop!', '***!'],
  [
    'behind encoded signs',
    [word],
    signs.map((sign) => sign + word).join(' '),
    signs.map((sign) => `${sign}***`).join(' '),
  ],
  [
    'behind four escapes of escapes, but not behind five,',
    [word],
    '%25252571wertzuiop %2525252571wertzuiop',
    '*** %2525252571wertzuiop',
  ],
  ['with an escaped escape', ['qwertz"uiop'], String.raw`qwertz\\"uiop`, '***'],
  ['with an escape at its end', ['qwertzuio"'], String.raw`see qwertzuio\"`, 'see ***'],
  ['in front of a single backslash', [word], `${word}\\`, '***\\'],
  [
    'with the code of a letter or behind a code of none',
    [word],
    String.raw`q\u0077ertzuiop \uqwertzuiop`,
    String.raw`*** \u***`,
  ],
  ['that is a part of an escape', ['u0071'], String.raw`xy\u0071`, 'xy***'],
  [
    'that ends like the beginning of an escape',
    ['qwertz"uiop%'],
    String.raw`say qwertz\"uiop%41 twice`,
    'say *** twice',
  ],
  ['with its first 64 characters', [long], `${long.slice(0, 64)} and more`, '***'],
  ['that begins like a shorter one', [long, `${long.slice(0, 64)}ly`], long, '***'],
  ['without the end of its sentence', [`${word}!`], `${word} there`, '*** there'],
  ['with a plus and an exclamation mark', ['qwertz+uiop!'], hex('qwertz+uiop!'), '***'],
  ['with a space instead of an encoded plus', ['qwertz%2Buiop'], hex('qwertz uiop'), '***'],
  [
    'that is the Base64 of another one',
    [...inBase64('qwertzuiopxy'), 'qwertzuiopxy'],
    `ab-${btoa('qwertzuiopxy')}-cd`,
    'ab-***-cd',
  ],
])('a known secret %s is hidden, and what stands beside it stays', async (_where, token, text, shown) => {
  const [, later] = await recordedBodies({ token }, { text })
  expect(later).toEqual({ text: shown })
})

test('a known secret is hidden in Base64 with all that belongs to it, and the Base64 of a similar text stays', async () => {
  const [first, second, third] = inBase64(word, `a${word}cd`, `ab${word}`)
  const similar = inBase64('bwertzuiop', 'qwertzuimn').join(' ')
  const [, { text }] = await recordedBodies(
    { token: word },
    { text: `${first} see ${second} there ${third} ${similar}` },
  )
  expect(text).toBe(`*** see *** there *** ${similar}`)
})

test('ids that are known secrets are hidden, and still differ from each other', async () => {
  const ids = [{ external_id: word }, { external_id: 'yxcvbnmasd' }]
  const [, { list }] = await recordedBodies({ token: [word, 'yxcvbnmasd'] }, { list: ids })
  const made = list.map((item: { external_id: string }) => item.external_id)
  expect(made).toEqual(made.map(() => expect.stringMatching(/^\*{3}\w{12}$/)))
  expect(new Set(made).size).toBe(2)
})
