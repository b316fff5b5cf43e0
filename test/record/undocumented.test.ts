/** Values in undocumented fields: what a name says about them, what their form says, and which form their pseudonym has. */
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/crypto.js'
import { Pseudonyms } from '../../src/features/record/redact/pseudonyms.js'
import { isAddress, newAddress } from '../../src/protocol/rails/chain.js'
import { crcOf, fieldsOf } from '../support/br-code.js'
import { openEcho, openTestRecorder, post, recordedBodies, recordedWith } from '../support/recorder.js'
import vectors from '../vectors.json' with { type: 'json' }

/** The names of the fields whose value was replaced. */
async function replacedIn(body: Record<string, unknown>): Promise<string[]> {
  const [recorded] = await recordedBodies(body)
  return Object.keys(body).filter((name) => recorded[name] !== body[name])
}

test('a field that says the kind, moment or place of a secret is no secret, and an id of a person is personal', async () => {
  // Only the first 200 characters of a name count.
  const longName = `${'x'.repeat(195)}_token`
  const plain = [
    longName,
    'secret_type',
    'session_at',
    'token_in',
    'customer_id',
    'order_code',
    'name_status',
    'namespace',
  ]
  const personal = ['taxId', 'zip_code', 'birth_date', 'cpf_ids', 'phonelist', 'homephone', 'keys']
  const body = Object.fromEntries([...plain, ...personal].map((name, at) => [name, `wxyz${'abcdefghijklmnopq'[at]}`]))
  expect(await replacedIn(body)).toEqual(personal)
})

test.each([
  ['a mobile number of Brazil', '11976543218'],
  ['a mobile number with an area code in parentheses', '(11) 98765-4321'],
  ['a number with a country code', '+1 212-555-0100'],
  ['an e-mail address', 'xerxes@zardoz.example'],
  ['an account of twelve digits and a document', 'cnpj12ABC34501DE35'],
])('%s is personal in a field whose name says nothing', async (_what, value) => {
  expect(await replacedIn({ thing: value })).toEqual(['thing'])
})

test.each([
  ['a day', '2026-11-22'],
  ['a hexadecimal text that is not random', 'abcdefabcdefabcdefabcdefabcdefab'],
  ['digits without a country code', '3765 4321'],
  ['a number like that of a card with a wrong check digit', '4111111111111112'],
  ['an at sign in front of a name', '@shop.example'],
  ['an at sign in front of a dot', 'shop@.example'],
  ['a text of fields that does not begin like a BR Code', '5903Ana6304ABCD'],
  ['a text of five short words', 'OneTwoFourSixTen'],
  ['a code of fewer than 16 letters and digits', 'aB3dE5fG-7hJ9kL2'],
  ['a code with signs that no token has', 'aB3$dE5$fG7$hJ9$kL2$m'],
  ['a line of hyphens', '-'.repeat(16)],
])('%s stays in a field whose name says nothing', async (_what, value) => {
  expect(await replacedIn({ thing: value })).toEqual([])
})

test('a random text of 16 letters and digits is hidden, and a random UUID becomes another one of its version', async () => {
  const [{ text, uuid }] = await recordedBodies({
    ...{ text: 'aB3dE5fG7hJ9kL2m', uuid: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' },
  })
  expect(text).toBe('***')
  expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-1[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
  expect(uuid).not.toMatch(/^f81d4fae/)
})

test('the pseudonym of a foreign telephone number keeps only its first two digits and its notation', async () => {
  const phones = Array.from({ length: 20 }, (_, at) => `+44 (20) 7946-09${at + 10}`)
  const [{ phone }] = await recordedBodies({ phone: phones })
  expect(phone).toEqual(phones.map(() => expect.stringMatching(/^\+44 \(\d\d\) \d{4}-\d{4}$/)))
  // Each other digit changes in some of them.
  const places = [...'+44 (20) 7946-0958'].flatMap((sign, at) => (at > 2 && /\d/.test(sign) ? [at] : []))
  const same = places.filter((place) => phones.every((old, at) => phone[at][place] === old[place]))
  expect(same).toEqual([])
})

test('an e-mail address is recognized and replaced, however short it is, and its ending stays', async () => {
  const emails = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg', 'hh', 'ii', 'jj'].flatMap((ending) =>
    Array.from({ length: 90 }, (_, at) => `${1 + Math.floor(at / 10)}@${at % 10}.${ending}`),
  )
  const [{ thing }] = await recordedBodies({ thing: emails })
  expect(thing.map((email: string) => email.slice(-3))).toEqual(emails.map((email) => email.slice(-3)))
  expect(emails.filter((email, at) => thing[at] === email)).toEqual([])
})

test('the pseudonym of a number has as many digits, other ones, and no zero in front', async () => {
  const numbers = Array.from({ length: 300 }, (_, at) => 1_000_000_000 + at)
  const [{ account, conta }] = await recordedBodies({ account: [...numbers, 9_999_999_999], conta: '0123456' })
  expect(account.filter((number: number) => String(number).length !== 10)).toEqual([])
  expect(String(account[0])).not.toMatch(/^\d0+$/)
  expect(account.at(-1)).not.toBe(9_999_999_999)
  // A zero in front stays, as in an account.
  expect(conta).toMatch(/^0\d{6}$/)
})

test('the pseudonym of a date is one of the first 28 days of any month in the years 1940 to 2003', async () => {
  const dayMs = 86_400_000
  const dates = Array.from({ length: 2000 }, (_, at) => new Date(at * dayMs).toISOString().slice(0, 10))
  const [{ birth_date: made }] = await recordedBodies({ birth_date: dates })
  const parts: number[][] = made.map((date: string) => date.split('-').map(Number))
  const bounds = [0, 1, 2].map((place) => {
    const all = parts.map((part) => part[place] ?? 0)
    return [Math.min(...all), Math.max(...all)]
  })
  expect(bounds).toEqual([
    [1940, 2003],
    [1, 12],
    [1, 28],
  ])
  expect(made).toEqual(dates.map(() => expect.stringMatching(/^\d{4}-\d\d-\d\d$/)))
})

test('the pseudonym of a long name has other letters from its beginning to its end', async () => {
  const name = 'Wilhelmina '.repeat(20).trim()
  const [{ name: made }] = await recordedBodies({ name })
  expect(made.replace(/\p{Lu}/gu, 'A').replace(/\p{Ll}/gu, 'a')).toBe('Aaaaaaaaaa '.repeat(20).trim())
  const words: string[] = made.split(' ')
  expect(words).not.toContain('Wilhelmina')
  expect(new Set(words).size).toBe(20)
  // Random bytes are drawn 64 at a time, and each only once.
  const letters = words.join('').toLowerCase()
  expect(letters.slice(64, 128)).not.toBe(letters.slice(0, 64))
})

test('a BR Code with a wrong checksum keeps a wrong one, also if it is too short', async () => {
  const valid = vectors.pix_brcode.valid[0]?.value ?? ''
  const body = valid.slice(0, -4)
  const wrong = crcOf(body) === '1234' ? '4321' : '1234'
  const codes = { qrcode: body + wrong, other: `${body.slice(0, -2)}02AB` }
  const ofWords = body.replace('Fulano de Tal', 'A B C D E F G')
  const [{ thing }, { qrcode, other }] = await recordedBodies({ thing: ofWords + crcOf(ofWords) }, codes)
  for (const one of [qrcode, thing]) expect(Object.keys(fieldsOf(one))).toEqual(Object.keys(fieldsOf(valid)))
  expect(fieldsOf(thing)['59']).toMatch(/^(?!A B C D E F G)(\S ){6}\S$/)
  // Zeros, if the new code makes the old checksum right.
  expect(qrcode.slice(-4)).toBe(crcOf(qrcode.slice(0, -4)) === wrong ? '0000' : wrong)
  expect(other).not.toContain(fieldsOf(valid)['59'])
  expect(other.slice(-8)).toBe('63040000')
})

test('a number within a secret, and a token with a known beginning, are hidden wherever they stand afterwards', async () => {
  const token = `sk_${'qwertzuiop'.repeat(3)}`
  const words = { status: 'pending', grant_type: 'client_credentials', event: 'cashin.expired' }
  const [, later] = await recordedBodies(
    {
      token: { value: 73_946_152, none: null, on: true, id: 'order-1234' },
      note: `use ${token} for now`,
      secret: Object.values(words),
    },
    {
      ...{ text: 'the code 73946152 is valid', number: 73_946_152, other: token, path: `/x/${token}` },
      ...{ ...words, reference: 'order-1234' },
    },
  )
  const hidden = { text: 'the code *** is valid', number: '***', other: '***', path: '/x/***' }
  // A word of the API and an id are no secrets elsewhere.
  expect(later).toEqual({ ...hidden, ...words, reference: 'order-1234' })
})

test('a secret with an escaped letter, behind no scheme or within a text, is hidden where it stands unescaped', async () => {
  const [, later] = await recordedBodies(
    { note: String.raw`{"password":"qwertz\u0075iop"}`, link: '://shop:yxcvbnmasd@shop.example' },
    { other: 'qwertzuiop', more: 'yxcvbnmasd' },
  )
  expect(later).toEqual({ other: '***', more: '***' })
})

test('the host of a URL stays, and a document behind an empty host or in a fragment is replaced', async () => {
  const cpf = '39053344705'
  const [links] = await recordedBodies({
    ...{ host: 'https://shop.example', named: 'https://@shop.example/x', empty: `https:///people/${cpf}` },
    ...{ fragment: `https://shop.example/x#people/${cpf}`, root: `/${cpf}` },
    ...{ postback_url: 'https://shop.example/?shop=wilhelmina' },
  })
  expect(JSON.stringify(links)).not.toContain(cpf)
  expect([links.host, links.named]).toEqual(['https://shop.example', 'https://***@shop.example/x'])
  expect(links.fragment).toMatch(/^https:\/\/shop\.example\/x#people\/\d{11}$/)
  expect(links.postback_url).not.toContain('wilhelmina')
})

test('an address keeps its form: only what follows the name of a secret is hidden, and a phone number is replaced', async () => {
  const hidden = {
    '/reset/token/739': '/reset/token/***',
    '/x;pin=739': '/x;pin=***',
    'https://shop.example/x#pin=1/2': 'https://shop.example/x#pin=***',
    '/a:b/%41?flag&list[]=a:b': '/a:b/%41?flag&list[]=a:b',
  }
  const [{ links }] = await recordedBodies({ links: [...Object.keys(hidden), '/people/+5511976543218'] })
  expect(links).toEqual([...Object.values(hidden), expect.stringMatching(/^\/people\/%2B55\d{11}$/)])
  expect(links.at(-1)).not.toContain('5511976543218')
})

test('JSON and a form in a text are redacted field by field, and a personal text that looks like JSON as a whole', async () => {
  const [{ raw, form, description }] = await recordedBodies({
    ...{ raw: '{"pin":"739"}', form: 'a=1&pin=739', description: '{"note":"wilhelmina"}' },
  })
  expect([raw, form]).toEqual(['{"pin":"***"}', 'a=1&pin=***'])
  expect(description).toMatch(/^\{"(?!note)[a-z]{4}":"(?!wilhelmina)[a-z]{10}"\}$/)
})

test('a person who is called like a status or a field is replaced, and the status and the field stay', async () => {
  const [{ list }] = await recordedBodies({
    list: [
      { name: 'pending', status: 'pending' },
      { name: 'amount', amount: 1 },
      { name: '---', note: '---日' },
    ],
  })
  expect(list).toEqual([
    { name: expect.not.stringContaining('pending'), status: 'pending' },
    { name: expect.not.stringContaining('amount'), amount: 1 },
    { name: '---', note: '---日' },
  ])
})

test('a known number of six digits is replaced everywhere, a shorter one and an amount stay, and a document is recognized', async () => {
  const [{ document, thing, amount }] = await recordedBodies({
    document: [12345, 739461, '1234.56'],
    thing: [12345, 739461, 1234.56, 11976543.218, 39053344705],
    amount: 39053344705,
  })
  expect(document).toEqual([expect.any(Number), expect.any(Number), expect.stringMatching(/^\d{4}\.\d\d$/)])
  expect(thing).toEqual([12345, document[1], document[2], 11976543.218, expect.any(Number)])
  expect(amount).toBe(39053344705)
  expect([document[1], document[2], thing[4]].filter((one) => [739461, '1234.56', amount].includes(one))).toEqual([])
})

test('a text of more than 4,096 characters is replaced as a whole, and a shorter one word by word', async () => {
  const long = 'no '.repeat(1366).slice(0, 4097)
  const [{ shorter, longer }] = await recordedBodies({ shorter: long.slice(1), longer: long })
  expect(shorter).toBe(long.slice(1))
  expect(longer).not.toContain('no no no')
})

test('an e-mail address of 320 characters is recognized, and a longer text is none', async () => {
  const domain = '@zardoz.example'
  const [longest, longer] = [320, 321].map((length) => 'a'.repeat(length - domain.length) + domain)
  expect(await replacedIn({ longest, longer })).toEqual(['longest'])
})

test('the pseudonym of a card number has the same issuer and a correct check digit', async () => {
  const cards = ['4929939187355598', '5499990123456781', '4111111111111111', '5105105105105100', '378282246310005']
  const [{ made }] = await recordedBodies({ made: cards })
  for (const card of [...cards, ...made]) expect(luhnSum(card) % 10, card).toBe(0)
  expect(made.map((card: string) => [card.length, card.slice(0, 6)])).toEqual(
    cards.map((card) => [card.length, card.slice(0, 6)]),
  )
  expect(made.filter((card: string) => cards.includes(card))).toEqual([])
})

/** The sum of the digits, of which every second one from the right counts twice. */
const luhnSum = (card: string) =>
  [...card]
    .reverse()
    .reduce(
      (sum, digit, at) =>
        sum + [...String(Number(digit) * (at % 2 === 0 ? 1 : 2))].reduce((total, one) => total + Number(one), 0),
      0,
    )

test('an address of zeros, in capitals or with a wrong checksum keeps that', async () => {
  const [zeros, low, capitals] = [`0x${'0'.repeat(40)}`, `0x1${'0'.repeat(39)}`, `0x${'AB'.repeat(20)}`]
  const draw = seededRandom('addresses').stream('ethereum')
  const swapCase = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())
  // A wrong letter at each place.
  const wrong = Array.from({ length: 20 }, () => newAddress('ethereum', draw)).flatMap((right) =>
    [...right].flatMap((letter, at) =>
      at > 1 && /[a-f]/i.test(letter) ? [right.slice(0, at) + swapCase(letter) + right.slice(at + 1)] : [],
    ),
  )
  expect(wrong.filter((value) => isAddress('ethereum', value))).toEqual([])
  const pseudonyms = new Pseudonyms('1')
  expect(wrong.map((value) => pseudonyms.of(value)).filter((value) => isAddress('ethereum', value))).toEqual([])
  // With this key the first try has a right checksum.
  expect(isAddress('ethereum', new Pseudonyms('2796').of('0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'))).toBe(false)
  // With this key the letters of the first try are all small.
  expect(new Pseudonyms('5989').of('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toMatch(/[a-f].*[A-F]|[A-F].*[a-f]/)
  const [{ list }] = await recordedBodies({ list: [zeros, low, capitals].map((key) => ({ key })) })
  const [none, one, high] = list.map(({ key }: { key: string }) => key)
  expect([none, one === low, high === capitals]).toEqual([zeros, false, false])
  expect(high).toMatch(/^0x[\dA-F]{40}$/)
})

test('a UUID in capitals gets one in capitals, and an amount that is not whole hides in a personal field', async () => {
  const [{ key, document }] = await recordedBodies({ key: '123E4567-E89B-42D3-A456-426614174000', document: 1.5 })
  expect(key).toMatch(/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/)
  expect(document).toBe('***')
})

test('with the secret after 50,000 others the older half is forgotten until a text shows it again, and the newer half stays hidden', async () => {
  const nth = (at: number) => `secret${String(at).padStart(6, '0')}word`
  const textWith = (secret: string) => `use password=${secret} now ${'and again '.repeat(4)}`
  const [first, last] = [textWith(nth(50_000)), textWith(nth(50_001))]
  // With the two texts these are 50,000.
  const bodies = Array.from({ length: 10 }, (_, body) => ({
    token: Array.from({ length: body === 9 ? 4998 : 5000 }, (_, at) => nth(body * 5000 + at)),
  }))
  const shown = [0, 24_997, 24_998, 49_998]
  const after = { texts: shown.map(nth), last }
  const recorded = await recordedBodies({ first, last }, ...bodies, { first, token: nth(49_998) }, after)
  expect(recorded.at(-2)).toEqual({ first: textWith('***'), token: '***' })
  expect(recorded.at(-1)).toEqual({
    texts: [nth(0), nth(24_997), '***', '***'],
    last: textWith('***'),
  })
})

test('the values of cookies are hidden wherever they stand, without their quotes', async () => {
  const headers = { Cookie: 'session="qwertzuiop";=yxcvbnmasd;path=elsewhere' }
  const body = { one: 'qwertzuiop', other: 'yxcvbnmasd', third: 'elsewhere' }
  expect((await recordedWith(headers, body))[0]).toEqual({ one: '***', other: '***', third: 'elsewhere' })
})

test('in a path, what follows the pair of a secret stays, and is no secret elsewhere', async () => {
  const recorder = await openTestRecorder(await openEcho())
  await post(`${recorder.url}/x;token=739/orders?a=1`, '{"thing":"orders"}')
  const [entry] = (await recorder.logWithEntry()).entries
  expect(entry?.request.url).toMatch(/\/x;token=\*\*\*\/orders\?a=1$/)
  expect(entry?.request.postData?.text).toBe('{"thing":"orders"}')
})

test('a secret is hidden where the content type repeats it', async () => {
  const recorder = await openTestRecorder(await openEcho())
  await post(`${recorder.url}/any`, '{"token":"qwertzuiop"}', { 'Content-Type': 'text/qwertzuiop' })
  const [entry] = (await recorder.logWithEntry()).entries
  expect(entry?.request.postData).toEqual({ mimeType: 'text/***', text: '{"token":"***"}' })
})

const inQuery = 'qw;ertzuiop'
const named = (length: number) => `see /x?${'x'.repeat(length - 6)}_token=${inQuery} now`
/** The user of a URL may have one letter less. */
const thousand = 'qwertzuiop'.repeat(100)

test.each([
  ['a name and a value', 'use password=qwertzuiop now', 'qwertzuiop', '***'],
  ['a query with other signs', `see /x?password=${inQuery} now`, inQuery, '***'],
  ['a query with a name of 60 letters', named(60), inQuery, '***'],
  ['a query with a name of 61 letters, which is not read,', named(61), inQuery, inQuery],
  ['a URL with a user', 'https://qwertzuiop@shop.example', 'qwertzuiop', '***'],
  ['a URL with a user and a password', 'https://shop:yxcvbnmasd@shop.example', 'shop:yxcvbnmasd', '***'],
  ['a URL behind an empty one', 'a://://shop:yxcvbnmasd@shop.example', 'yxcvbnmasd', '***'],
  ['a URL with a user of 999 letters', `see ftp://${thousand.slice(1)}@shop.example`, thousand.slice(1), '***'],
  ['a URL with a user of 1,000 letters, which is not read,', `see ftp://${thousand}@shop.example`, thousand, thousand],
  ['a sentence about a token', 'token: invalid', 'invalid', 'invalid'],
  ['a sentence with a slash', 'the token/secret pair is wrong', 'secret pair is wrong', 'secret pair is wrong'],
])('only the secret that %s shows is hidden elsewhere', async (_what, note, text, shown) => {
  const [, later] = await recordedBodies({ note }, { text })
  expect(later).toEqual({ text: shown })
})

const address = '/reset/token/qwertzuiop?password=as;dfghjkl'
const bearerOf = (text: string) => `Bearer ${btoa(text)}`
const basic = `Basic ${btoa('shop:yxcvbnmasd')}`
const utf8 = Buffer.from('ação-qwertz').toString('latin1')

test.each([
  ['with an address', 'X-Forwarded-Uri', address, ['qwertzuiop', 'as;dfghjkl'], ['***', '***']],
  ['with a word that begins like a scheme', 'X-Shop-Thing', 'basics', ['basics'], ['***']],
  ['with a token', 'Authorization', 'Bearer qwertzuiop', ['Bearer qwertzuiop'], ['Bearer ***']],
  ['with a token that contains a text', 'Authorization', bearerOf('qwertzuiopxy'), ['qwertzuiopxy'], ['qwertzuiopxy']],
  ['with a password', 'Authorization', basic, ['shop:yxcvbnmasd', 'yxcvbnmasd'], ['***', '***']],
  ['with several words', 'X-Shop-Thing', 'call the shop', ['call the shop', 'the shop'], ['***', 'the shop']],
  ['with a host', 'X-Forwarded-Host', 'shop.example', ['shop.example'], ['shop.example']],
  ['with an id', 'X-Order-Id', 'order-qwertz', ['order-qwertz'], ['order-qwertz']],
  ['in UTF-8', 'X-Shop-Thing', utf8, ['ação-qwertz'], ['***']],
  ['in Latin-1', 'X-Shop-Thing', 'qwertzuiopé', ['qwertzuiopé'], ['***']],
])('only the secret that a header %s shows is hidden elsewhere', async (_what, name, value, list, shown) => {
  expect(await recordedWith({ [name]: value }, { list })).toEqual([{ list: shown }])
})

test('a short secret is hidden as a word and stays within longer words and encoded', async () => {
  const [, later] = await recordedBodies(
    { token: 'wxyz' },
    { text: 'awxyz wxyzb 1wxyz wxyz-1 7778797a', whole: 'wxyz' },
  )
  expect(later).toEqual({ text: 'awxyz wxyzb 1wxyz ***-1 7778797a', whole: '***' })
})

test('a secret that is a common word or has three letters is hidden in its own field only, and an empty one stays empty', async () => {
  const [{ password }, later] = await recordedBodies(
    { token: ['null', '12345', 'abc'], password: '' },
    { text: 'null 12345 abc' },
  )
  expect([password, later.text]).toEqual(['', 'null 12345 abc'])
})

test('a BR Code whose account cannot be read, or without a checksum, is replaced as a text', async () => {
  const valid = vectors.pix_brcode.valid[0]?.value ?? ''
  const account = fieldsOf(valid)['26'] ?? ''
  const payload = valid.slice(0, -4).replace(account, 'x'.repeat(account.length))
  const code = payload + crcOf(payload)
  const cut = valid.slice(0, -8)
  const [{ qrcode, other }] = await recordedBodies({ qrcode: code, other: { qrcode: cut } })
  expect([qrcode.length, other.qrcode.length]).toEqual([code.length, cut.length])
  expect(qrcode + other.qrcode).not.toContain(fieldsOf(valid)['59'])
})

test('the pseudonym of an address of Solana has the same length, whatever that is', async () => {
  const draw = seededRandom('addresses').stream('solana')
  const addresses = Array.from({ length: 200 }, () => newAddress('solana', draw))
  const short = addresses.filter(({ length }) => length < 44).slice(0, 3)
  expect(short).not.toEqual([])
  // Each 1 in front is a byte of zeros, so no address is shorter.
  short.push(`${'1'.repeat(31)}z`)
  const [made] = await recordedBodies(short.map((key) => ({ key })))
  const found: string[] = made.map(({ key }: { key: string }) => key)
  expect(found.map((key) => [key.length, isAddress('solana', key)])).toEqual(short.map(({ length }) => [length, true]))
  expect(found.filter((key) => short.includes(key))).toEqual([])
})
