/** Random secrets at random places of many exchanges: whatever teaches a secret, no part of it is in the recording. */
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/crypto.js'
import { type Exchange, entryOf } from '../../src/features/record/file/entry.js'
import { Pseudonyms } from '../../src/features/record/redact/pseudonyms.js'
import { seedOf } from '../support/figures.js'

const seed = seedOf('RECORD_SEED')
const exchanges = Number(process.env.RECORD_EXCHANGES ?? 10_000)

const draw = seededRandom(String(seed)).stream('secrets')
const below = (limit: number) => new DataView(draw(4).slice().buffer).getUint32(0) % limit
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
const alphabets = [
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  'abcdefghijkmnpqrstuvwxyz23456789:=;, .!?&+%/\\"\'<>{}[]()@#$^*~|',
  '0123456789abcdef',
  'abcdefghijklmnopqrstuvwxyz',
  'abcdefgçãéñü123 -_',
]
const ends = ['', '', '.', '!', '=', ';', ',']

function newSecret(): string {
  const alphabet = [...pick(alphabets)]
  const middle = Array.from({ length: 8 + below(40) }, () => pick(alphabet)).join('')
  return `q${middle}x${pick(ends)}`
}

interface Draft {
  target: string
  headers: [string, string][]
  body: Record<string, unknown>
  form: Record<string, string> | null
  statusText: string
  answerHeaders: [string, string][]
  answer: Record<string, unknown>
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const latin1 = (text: string) => Buffer.from(text).toString('latin1')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const base64url = (text: string) => Buffer.from(text).toString('base64url')
const hex = (text: string) => Buffer.from(text).toString('hex')
const url = encodeURIComponent
const json = JSON.stringify
const form = (name: string, value: string) => new URLSearchParams({ [name]: value }).toString()

const secretNames = [
  ...['password', 'passphrase', 'senha', 'segredo', 'contraseña', 'secretkey', 'privateKey', 'hmac', 'jwt', 'bearer'],
  ...[
    'assertion',
    'security_code',
    'access_code',
    'otp',
    'totp',
    'csrfToken',
    'nonce',
    'sid',
    'PHPSESSID',
    'JSESSIONID',
  ],
  ...['seed', 'mnemonic', 'pem', 'magic_link', 'client_secret', 'refresh_token', 'api_key', 'X-Api-Key', 'pass'],
]

/** The field, header or place shows that its value is a secret. */
const teachers: Record<string, (secret: string, to: Draft) => void> = {
  field: (secret, { body }) => {
    body[pick(secretNames)] = secret
  },
  'field of the response': (secret, { answer }) => {
    answer[pick(secretNames)] = secret
  },
  'object of a secret name': (secret, { answer }) => {
    answer.token = { type: 'Bearer', value: [secret] }
  },
  form: (secret, draft) => {
    draft.form = { grant_type: 'password', [pick(secretNames)]: secret }
  },
  query: (secret, draft) => {
    draft.target += `&${url(pick(secretNames))}=${url(secret)}`
  },
  bearer: (secret, { headers }) => void headers.push(['Authorization', `Bearer ${latin1(secret)}`]),
  basic: (secret, { headers }) => void headers.push(['Authorization', `Basic ${base64(`shop:${secret}`)}`]),
  cookie: (secret, { headers }) => void headers.push(['Cookie', `theme=1; a=${url(secret)}`]),
  'set-cookie': (secret, { answerHeaders }) => void answerHeaders.push(['Set-Cookie', `a=${url(secret)}; Path=/`]),
  'unknown header': (secret, { headers }) => void headers.push(['X-Shop-Thing', latin1(secret)]),
  'unknown header of the response': (secret, { answerHeaders }) => void answerHeaders.push(['X-Odd', latin1(secret)]),
  'user info': (secret, { body }) => {
    body.callback = `https://me:${url(secret)}@shop.example/hooks`
  },
  'user info in a text': (secret, { body }) => {
    body.note = `see ftp://me:${url(secret)}@shop.example/ there`
  },
  'JSON in a string': (secret, { body }) => {
    body.raw = json({ list: [{ [pick(secretNames)]: secret }] })
  },
  'form in a string': (secret, { body }) => {
    body.raw = `a=1&${form(pick(secretNames), secret)}`
  },
  'fragment of Location': (secret, draft) =>
    void draft.answerHeaders.push(['Location', `https://shop.example/done#access_token=${url(secret)}&a=1`]),
  'query of Location': (secret, draft) =>
    void draft.answerHeaders.push(['Location', `/done?code=${url(secret)}&state=1`]),
  'path after token': (secret, draft) => {
    draft.target = `/reset/token/${url(secret)}/x?a=1`
  },
}

/** Nothing here shows that the text contains a secret. */
const showers: Record<string, (secret: string, to: Draft) => void> = {
  'unknown field': (secret, { body }) => {
    body.thing = secret
  },
  'field before all others': (secret, draft) => {
    draft.body = { first: secret, ...draft.body }
  },
  'longer word': (secret, { body }) => {
    body.thing2 = `ab${secret}cd`
  },
  sentence: (secret, { answer }) => {
    answer.message = `Wrong value ${secret}. Try again`
  },
  'error message': (secret, { answer }) => {
    answer.error = { code: 'BAD', message: `bad: ${secret}!` }
  },
  name: (secret, { body }) => {
    body[`of ${secret}`] = 1
  },
  id: (secret, { body }) => {
    body.external_id = `order-${secret}`
  },
  'whole id': (secret, { body }) => {
    body.external_id = secret
  },
  person: (secret, { body }) => {
    body.payer = { name: secret, email: `${url(secret)}@x.example` }
  },
  list: (secret, { answer }) => {
    answer.list = [[secret, 1], { b: secret }]
  },
  path: (secret, draft) => {
    draft.target = draft.target.replace('?', `/${url(secret)}?`)
  },
  'value in a query': (secret, draft) => {
    draft.target += `&z=x${url(secret)}`
  },
  'name in a query': (secret, draft) => {
    draft.target += `&${url(secret)}=1`
  },
  'header of text': (secret, { headers }) => void headers.push(['User-Agent', `shop/1 (${latin1(secret)})`]),
  'harmless header': (secret, { answerHeaders }) => void answerHeaders.push(['ETag', `"${latin1(secret)}"`]),
  'status text': (secret, draft) => {
    draft.statusText = `No ${latin1(secret)}`
  },
  'media type': (secret, { answerHeaders }) => void answerHeaders.push(['Content-Language', `x;y="${latin1(secret)}"`]),
  'URL in a text': (secret, { body }) => {
    body.text = `go to https://a.example/x?u=${url(secret)} now`
  },
  'JSON in a text': (secret, { body }) => {
    body.text2 = `payload: ${json({ x: { y: secret } })} end`
  },
  'JSON in JSON': (secret, { body }) => {
    body.text3 = json(json({ y: secret }))
  },
  'form in a text': (secret, { body }) => {
    body.text4 = `a=b&${form('u', secret)}`
  },
  Base64: (secret, { body }) => {
    body.text5 = base64(`${'x'.repeat(below(4))}${secret}yz`)
  },
  hex: (secret, { body }) => {
    body.text6 = `ab${hex(secret)}cd`
  },
  'hex in capitals': (secret, { answer }) => {
    answer.text7 = hex(secret).toUpperCase()
  },
  'Base64 in a URL': (secret, draft) => {
    draft.target += `&s=${base64url(`{"a":"${'b'.repeat(below(4))}${secret}"}`)}`
  },
}

function exchangeWith(secret: string, teach: string, shown: readonly string[]): Exchange {
  const draft: Draft = {
    target: '/v9/things?page=1',
    headers: [['Content-Type', 'application/json']],
    body: { amount: 25.5, status: 'pending' },
    form: null,
    statusText: 'OK',
    answerHeaders: [['Content-Type', 'application/json']],
    answer: { transaction_id: 'tx_0000001w3kaym35atckk' },
  }
  for (const place of shown) showers[place]?.(secret, draft)
  teachers[teach]?.(secret, draft)
  const { target, headers, form: pairs, body, answerHeaders, answer, statusText } = draft
  const request = pairs === null ? json(body) : new URLSearchParams(pairs).toString()
  if (pairs !== null) headers[0] = ['Content-Type', 'application/x-www-form-urlencoded']
  const message = (list: [string, string][], text: string) => ({
    ...{ headers: list, body: bytesOf(text), bodyBytes: text.length },
  })
  return {
    ...{ isWebhook: false, base: 'https://api.example.com', target, method: 'POST', httpVersion: '1.1' },
    request: message(headers, request),
    answer: { ...message(answerHeaders, json(answer)), status: 200, statusText },
    ...{ startedAtMs: 0, waitMs: 1, receiveMs: 1 },
  }
}

/** Eight characters of the secret in any encoding, without the ends that share their letters with what stands beside them. */
function partsOf(secret: string): string[] {
  const escaped = json(secret).slice(1, -1)
  const encoded = [0, 1, 2].flatMap((before) => {
    const core = base64('x'.repeat(before) + secret)
      .replace(/=+$/, '')
      .slice(before + 1, -3)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const forms = [
    secret,
    escaped,
    json(escaped).slice(1, -1),
    url(secret),
    form('', secret).slice(1),
    hex(secret),
    ...encoded,
  ]
  const parts = [...forms, hex(secret).toUpperCase()].flatMap((text) => [
    text.slice(0, 8),
    text.slice(Math.max(0, text.length / 2 - 4), text.length / 2 + 4),
  ])
  // Quotes and backslashes alone are the syntax of JSON in JSON, around any value.
  return parts.filter((part) => !/^[\\"]*$/.test(part))
}

test(`no part of a secret is in a recording of ${exchanges} exchanges, whatever teaches it and wherever it stands (RECORD_SEED=${seed})`, () => {
  const leaks = new Map<string, string>()
  const pseudonyms = new Pseudonyms(String(seed))
  for (let at = 0; at < exchanges; at++) {
    const secret = newSecret()
    const teach = pick(Object.keys(teachers))
    const shown = [pick(Object.keys(showers)), pick(Object.keys(showers))]
    const { text } = entryOf(exchangeWith(secret, teach, shown), pseudonyms)
    const part = partsOf(secret).find((one) => text.includes(one))
    if (part !== undefined) leaks.set(`${teach} → ${shown.join(', ')}`, `${json(secret)} ${json(part)} in ${text}`)
  }
  expect(
    leaks.size,
    [...leaks]
      .slice(0, 5)
      .map((leak) => leak.join(': '))
      .join('\n'),
  ).toBe(0)
})

test.each([
  { older: [], secret: 'q8 d^!3iu7iyif[wmx#a%\\?:h.[5[+[)/emnx.', teach: 'form in a string', shown: 'hex in capitals' },
  { older: ['23kw~p'], secret: 'q#kw~p;&q>&:hav(qb[x/* (d2|ej!?x', teach: 'path after token', shown: 'name' },
])('a secret by $teach is hidden as $shown, although signs change or an older secret is part of it', (row) => {
  const pseudonyms = new Pseudonyms('1')
  for (const older of row.older) entryOf(exchangeWith(older, 'form in a string', []), pseudonyms)
  const { text } = entryOf(exchangeWith(row.secret, row.teach, [row.shown]), pseudonyms)
  expect(partsOf(row.secret).filter((part) => text.includes(part))).toEqual([])
})
