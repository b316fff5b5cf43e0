/** Values in undocumented fields: what a name says about them, what their form says, and which form their pseudonym has. */
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/crypto.js'
import { isAddress, newAddress } from '../../src/protocol/rails/chain.js'
import { crcOf, fieldsOf } from '../support/br-code.js'
import { openEcho, openTestRecorder, post } from '../support/recorder.js'
import vectors from '../vectors.json' with { type: 'json' }

/** Sends bodies through one recorder, one after the other, and returns the recorded ones. */
const recordedBodies = (...bodies: object[]) => recordedWith({}, ...bodies)

async function recordedWith(headers: Record<string, string>, ...bodies: object[]) {
  const recorder = await openTestRecorder(await openEcho())
  for (const body of bodies) await post(`${recorder.url}/any`, JSON.stringify(body), headers)
  const { entries } = await recorder.logWithEntry(bodies.length)
  return entries.map(({ request }) => JSON.parse(request.postData?.text ?? ''))
}

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
])('%s stays in a field whose name says nothing', async (_what, value) => {
  expect(await replacedIn({ thing: value })).toEqual([])
})

test('the pseudonym of a foreign telephone number keeps its first two digits and its notation', async () => {
  const [{ phone }] = await recordedBodies({ phone: '+44 (20) 7946-0958' })
  expect(phone).toMatch(/^\+44 \(\d\d\) \d{4}-\d{4}$/)
  expect(phone).not.toBe('+44 (20) 7946-0958')
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
  const [{ qrcode, other }] = await recordedBodies({ qrcode: body + wrong, other: `${body.slice(0, -2)}02AB` })
  expect(Object.keys(fieldsOf(qrcode))).toEqual(Object.keys(fieldsOf(valid)))
  // Zeros, if the new code makes the old checksum right.
  expect(qrcode.slice(-4)).toBe(crcOf(qrcode.slice(0, -4)) === wrong ? '0000' : wrong)
  expect(other).not.toContain(fieldsOf(valid)['59'])
  expect(other.slice(-8)).toBe('63040000')
})

test('a number within a secret, and a token with a known beginning, are hidden wherever they stand afterwards', async () => {
  const token = `sk_${'qwertzuiop'.repeat(3)}`
  const [, later] = await recordedBodies(
    { token: { value: 73_946_152, none: null, on: true }, note: `use ${token} for now`, secret: 'pending' },
    { text: 'the code 73946152 is valid', number: 73_946_152, other: token, path: `/x/${token}`, status: 'pending' },
  )
  const hidden = { text: 'the code *** is valid', number: '***', other: '***', path: '/x/***' }
  // A word of the API is no secret elsewhere.
  expect(later).toEqual({ ...hidden, status: 'pending' })
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
    ...{ fragment: `https://shop.example/x#people/${cpf}` },
  })
  expect(JSON.stringify(links)).not.toContain(cpf)
  expect([links.host, links.named]).toEqual(['https://shop.example', 'https://***@shop.example/x'])
  expect(links.fragment).toMatch(/^https:\/\/shop\.example\/x#people\/\d{11}$/)
})

test('a text of more than 4,096 characters is replaced as a whole, and a shorter one word by word', async () => {
  const long = 'no '.repeat(1366).slice(0, 4097)
  const [{ shorter, longer }] = await recordedBodies({ shorter: long.slice(1), longer: long })
  expect(shorter).toBe(long.slice(1))
  expect(longer).not.toContain('no no no')
})

test('an e-mail address of 320 characters is recognized', async () => {
  const domain = '@zardoz.example'
  expect(await replacedIn({ thing: 'a'.repeat(320 - domain.length) + domain })).toEqual(['thing'])
})

test('the pseudonym of a card number has a correct check digit', async () => {
  const cards = ['4929939187355598', '5499990123456781', '4111111111111111']
  const [{ made }] = await recordedBodies({ made: cards })
  for (const card of [...cards, ...made]) expect(luhnSum(card) % 10, card).toBe(0)
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

test('addresses of zeros and those with a wrong checksum keep that', async () => {
  const zeros = `0x${'0'.repeat(40)}`
  const right = vectors.address_evm.valid.find(({ value }) => /[a-f]/.test(value) && /[A-F]/.test(value))?.value ?? ''
  const swapCase = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())
  const digits = [...right.slice(2)]
  // A wrong letter at each place.
  const wrong = digits.flatMap((letter, at) =>
    /[a-f]/i.test(letter) ? [`0x${digits.with(at, swapCase(letter)).join('')}`] : [],
  )
  expect(wrong.filter((value) => isAddress('ethereum', value))).toEqual([])
  const many = wrong.map((key) => ({ key }))
  const [{ list, none }] = await recordedBodies({ list: many, none: { key: zeros } })
  expect(none.key).toBe(zeros)
  expect(list.filter(({ key }: { key: string }) => isAddress('ethereum', key))).toEqual([])
})

test('a UUID in capitals gets one in capitals, and an amount that is not whole hides in a personal field', async () => {
  const [{ key, document }] = await recordedBodies({ key: '123E4567-E89B-42D3-A456-426614174000', document: 1.5 })
  expect(key).toMatch(/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/)
  expect(document).toBe('***')
})

test('with the secret after 50,000 others the older half is forgotten, and the newer half stays hidden', async () => {
  const nth = (at: number) => `secret${String(at).padStart(6, '0')}word`
  const bodies = Array.from({ length: 11 }, (_, body) => ({
    token: Array.from({ length: body === 10 ? 1 : 5000 }, (_, at) => nth(body * 5000 + at)),
  }))
  const shown = [0, 24_999, 25_000, 50_000]
  const recorded = await recordedBodies(...bodies, { texts: shown.map(nth) })
  expect(recorded.at(-1)).toEqual({ texts: [nth(0), nth(24_999), '***', '***'] })
})

test('the values of cookies are hidden wherever they stand, without their quotes', async () => {
  const headers = { Cookie: 'session="qwertzuiop"; =yxcvbnmasd; path=elsewhere' }
  const body = { one: 'qwertzuiop', other: 'yxcvbnmasd', third: 'elsewhere' }
  expect((await recordedWith(headers, body))[0]).toEqual({ one: '***', other: '***', third: 'elsewhere' })
})

test('a short secret is hidden as a word and stays within longer words', async () => {
  const [, { text }] = await recordedBodies({ token: 'wxyz' }, { text: 'awxyz wxyzb 1wxyz wxyz-1' })
  expect(text).toBe('awxyz wxyzb 1wxyz ***-1')
})

test('a BR Code whose account cannot be read is replaced as a text', async () => {
  const valid = vectors.pix_brcode.valid[0]?.value ?? ''
  const account = fieldsOf(valid)['26'] ?? ''
  const payload = valid.slice(0, -4).replace(account, 'x'.repeat(account.length))
  const code = payload + crcOf(payload)
  const [{ qrcode }] = await recordedBodies({ qrcode: code })
  expect(qrcode).toHaveLength(code.length)
  expect(qrcode).not.toContain(fieldsOf(valid)['59'])
})

test('the pseudonym of an address of Solana has the same length, whatever that is', async () => {
  const draw = seededRandom('addresses').stream('solana')
  const addresses = Array.from({ length: 200 }, () => newAddress('solana', draw))
  const short = addresses.filter(({ length }) => length < 44).slice(0, 3)
  expect(short).not.toEqual([])
  const [made] = await recordedBodies(short.map((key) => ({ key })))
  const found: string[] = made.map(({ key }: { key: string }) => key)
  expect(found.map((key) => [key.length, isAddress('solana', key)])).toEqual(short.map(({ length }) => [length, true]))
  expect(found.filter((key) => short.includes(key))).toEqual([])
})
