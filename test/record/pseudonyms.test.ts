/** Pseudonyms in a recording keep form and validity, checked with the project's validators and the vectors of each format. */

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { unclassified } from '../../src/features/record/redact/fields.js'
import { networkNames } from '../../src/protocol/platform/currencies.js'
import { endpoints } from '../../src/protocol/platform/endpoints.js'
import { isAddress } from '../../src/protocol/rails/chain.js'
import { parseBrCode } from '../../src/protocol/rails/pix.js'
import { inferPixKeyType, isDocument, isPixKey, isUuidV4 } from '../../src/protocol/rails/pix-key.js'
import { bankOfClabe, isClabe } from '../../src/protocol/rails/spei.js'
import { crcOf, fieldsOf } from '../support/br-code.js'
import { openEcho, openTarget, openTestRecorder, post } from '../support/recorder.js'
import vectors from '../vectors.json' with { type: 'json' }

/** Sends values in one body through a recorder, and returns their replacements in the recording. */
async function recorded(values: readonly string[], field = 'key'): Promise<string[]> {
  const recorder = await openTestRecorder(await openEcho())
  const body = JSON.stringify(values.map((value) => ({ [field]: value })))
  expect(await post(`${recorder.url}/v2/any`, body)).toBe(body)
  const {
    entries: [entry],
  } = await recorder.logWithEntry()
  const [asked, answered] = [entry?.request.postData?.text, entry?.response.content.text]
  expect(answered).toBe(asked)
  return JSON.parse(asked ?? '').map((item: Record<string, string>) => item[field])
}

const valuesOf = (rows: readonly { value: string }[]) => rows.map(({ value }) => value)
/** Replaces each character by its class: letter, capital, digit or other. */
const shapeOf = (text: string) =>
  text
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{Ll}/gu, 'a')
    .replace(/\d/g, '0')

const addresses = [
  ...vectors.address_tron.valid,
  ...vectors.address_evm.valid,
  ...vectors.address_bitcoin.valid,
  ...vectors.address_solana.points,
  // Solana's addresses can begin like Bitcoin's.
  { value: 'Bc16WNiDfBveGkuNeQR7f1riyok9iBXFFmSVBQJLsvbN' },
]
const invalidAddresses = [
  ...vectors.address_tron.invalid,
  ...vectors.address_evm.invalid,
  ...vectors.address_bitcoin.invalid,
]
/** An address without its last part. */
const folderOf = (url: string) => url.replace(/[^/]*$/, '')
const chainsOf = (text: string) => networkNames.filter((network) => isAddress(network, text))

describe('a pseudonym', () => {
  test('the pseudonym of a document is a valid document with the same punctuation and with letters in the same places', async () => {
    const values = valuesOf([...vectors.cpf.valid, ...vectors.cnpj.valid])
    const written = [...values, '529.982.247-25', '12.ABC.345/01DE-35', '12.abc.345/01de-35']
    const made = await recorded(written, 'document')
    expect(made.map(isDocument)).toEqual(written.map(() => true))
    expect(made.map(shapeOf)).toEqual(written.map(shapeOf))
    expect(made.filter((one) => written.includes(one))).toEqual([])
  })

  test('the pseudonym of an invalid document is an invalid document', async () => {
    const values = valuesOf([...vectors.cpf.invalid, ...vectors.cnpj.invalid]).filter((value) => value.trim() !== '')
    // One of a hundred numbers is valid by chance.
    const numbers = Array.from({ length: 1000 }, (_, at) => String(10_000_000_000 + at))
    const invalid = [...values, ...numbers.filter((value) => !isDocument(value))]
    expect((await recorded(invalid, 'document')).filter(isDocument)).toEqual([])
  })

  test('the pseudonym of an address is an address of the same chain, length and letter case, checksum included', async () => {
    const values = valuesOf(addresses).filter((value) => !/^1+$/.test(value))
    const made = await recorded(values)
    expect(made.map(chainsOf)).toEqual(values.map(chainsOf))
    expect(made.map((one) => one.length)).toEqual(values.map((one) => one.length))
    const caseOf = (text: string) => [text === text.toLowerCase(), text === text.toUpperCase()]
    expect(made.map(caseOf)).toEqual(values.map(caseOf))
    expect(made.filter((one) => values.includes(one))).toEqual([])
  })

  test('the pseudonym of an invalid address is an invalid address', async () => {
    const values = valuesOf(invalidAddresses).filter((value) => value.trim() !== '' && chainsOf(value).length === 0)
    const made = await recorded(values)
    expect(made.filter((one) => chainsOf(one).length > 0)).toEqual([])
  })

  test('the pseudonym of a CLABE is a CLABE at the same bank, and that of an invalid CLABE is invalid', async () => {
    const values = valuesOf(vectors.clabe.valid)
    const made = await recorded(values)
    expect(made.every(isClabe)).toBe(true)
    expect(made.map(bankOfClabe)).toEqual(values.map(bankOfClabe))
    expect(made.filter((one) => values.includes(one))).toEqual([])
    const broken = valuesOf(vectors.clabe.invalid).filter((value) => /\d/.test(value))
    expect((await recorded(broken)).filter(isClabe)).toEqual([])
  })

  test('the pseudonym of a PIX key is a PIX key of the same type', async () => {
    const values = ['ana@example.com', 'Ana.Souza+x@shop.example', '+5511987654321', '11987654321', '(11) 98765-4321']
    const more = ['52998224725', '12ABC34501DE35', '+5521912345678', '+5531912345678']
    const keys = [...values, '123e4567-e89b-42d3-a456-426614174000', ...more]
    const made = await recorded(keys)
    expect(made.map(inferPixKeyType)).toEqual(keys.map(inferPixKeyType))
    for (const key of made) expect(isPixKey(inferPixKeyType(key) ?? 'cpf', key), key).toBe(true)
    expect(made.map(shapeOf).slice(0, 5)).toEqual(values.map(shapeOf))
    expect(isUuidV4(made[5] ?? '')).toBe(true)
    expect(made.filter((one) => keys.includes(one))).toEqual([])
  })

  test('an id that contains eyJ by chance is no token, and a token behind it is hidden', async () => {
    const id = 'ru2WwaeyJOZpOaRRh0LENnpIEz52040000530398654041.005802BR5918Merchant'
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'
    // JSON without a point behind it is no token either.
    const ids = [id, `${btoa('{"page":123}')}x`, `${'eyJ'.repeat(8)}.x`]
    expect(await recorded([...ids, `ru2WwaeyJOZ${token}`], 'reference')).toEqual([...ids, 'ru2WwaeyJOZ***'])
    expect(await recorded(['eyJ'.repeat(7) + token], 'reference')).toEqual([`${'eyJ'.repeat(7)}***`])
    for (const times of [8, 30])
      expect((await recorded(['eyJ'.repeat(times) + token], 'reference')).join()).toMatch(/^\*\*\*\w{12}$/)
  })

  test('a BR Code with pseudonyms keeps its length and has a correct checksum', async () => {
    const valid = valuesOf([...vectors.pix_brcode.valid])
    const made = await recorded(valid, 'qrcode')
    for (const [at, text] of made.entries()) {
      const [before, after] = [parseBrCode(valid[at] ?? ''), parseBrCode(text)]
      expect([after.ok, text.length], text).toEqual([before.ok, valid[at]?.length])
      if (!before.ok || !after.ok) continue
      expect([after.kind, after.amount, after.city, after.txid]).toEqual([
        before.kind,
        before.amount,
        before.city,
        before.txid,
      ])
      expect(after.merchantName).not.toBe(before.merchantName)
      if (before.kind === 'static' && after.kind === 'static') expect(after.key).not.toBe(before.key)
      if (before.kind !== 'dynamic' || after.kind !== 'dynamic') continue
      expect(after.url).not.toBe(before.url)
      expect(folderOf(after.url)).toBe(folderOf(before.url))
    }
  })

  test('the address of a charge in a BR Code keeps its host, and that of a recurrence is replaced as a whole', async () => {
    const codes = valuesOf(vectors.pix_brcode.valid_composite_optional)
    const addressIn = (code: string, id: string) => fieldsOf(fieldsOf(code)[id] ?? '')['25'] ?? ''
    for (const [at, made] of (await recorded(codes, 'qrcode')).entries()) {
      const code = codes[at] ?? ''
      expect([made.length, made.slice(-4)]).toEqual([code.length, crcOf(made.slice(0, -4))])
      expect(folderOf(addressIn(made, '26'))).toBe(folderOf(addressIn(code, '26')))
      expect(addressIn(made, '80')).toHaveLength(addressIn(code, '80').length)
      expect(folderOf(addressIn(made, '80'))).not.toBe(folderOf(addressIn(code, '80')))
    }
  })

  test('the pseudonym of a name keeps length, case and accents, and loses the accents in a BR Code like the name', async () => {
    const [plain = '', accented = '', capitals = ''] = await recorded(
      ['Joao da Silva', 'João da Silva', 'JOAO DA SILVA'],
      'name',
    )
    expect(shapeOf(plain)).toBe('Aaaa aa Aaaaa')
    expect(accented.normalize('NFD').replace(/\p{M}/gu, '')).toBe(plain)
    expect([accented.length, accented]).toEqual([plain.length, expect.not.stringContaining(plain)])
    expect(capitals).toBe(plain.toUpperCase())
  })

  test('a name that a BR Code truncates gets the truncated pseudonym, and a name with another first letter another one', async () => {
    const names = ['Wilhelmina Zzyzx Quinteiro', 'Wilhelmina Zzyzx Quinteir', 'Vilhelmina Zzyzx Quinteir']
    const [whole = '', truncated = '', other = ''] = await recorded(names, 'name')
    expect(truncated).toBe(whole.slice(0, 25))
    expect(other.slice(1)).not.toBe(truncated.slice(1))
  })

  test('the pseudonym of a name of one letter is another letter, not the same one with another accent', async () => {
    const names = ['ã', 'ẽ', 'ĩ', 'õ', 'ũ', 'ỹ', 'ñ']
    const letterOf = (text: string) => text.normalize('NFD').charAt(0)
    const made = await recorded(names, 'name')
    expect(made.filter((one, at) => letterOf(one) === letterOf(names[at] ?? ''))).toEqual([])
  })

  test('the pseudonym of a hash has the same length and letter case', async () => {
    const hashes = ['ab'.repeat(32), `${'ab'.repeat(16)}c`, 'AB'.repeat(20)]
    const made = await recorded(hashes)
    expect(made.map((one) => one.length)).toEqual(hashes.map((one) => one.length))
    expect(made).toEqual([/^[\da-f]+$/, /^[\da-f]+$/, /^[\dA-F]+$/].map((form) => expect.stringMatching(form)))
    expect(made.filter((one) => hashes.includes(one))).toEqual([])
  })

  test('a value has the same pseudonym in every spelling and place, and another one in another recording', async () => {
    const target = await openEcho()
    const first = await openTestRecorder(target)
    const second = await openTestRecorder(target)
    const body = JSON.stringify({
      payer: { document: '529.982.247-25', name: 'Ana Souza' },
      unknown: ['52998224725', 'Ana Souza'],
      taxId: '52998224725',
      number: 52998224725,
      note: 'paid by ANA SOUZA, 529.982.247-25.',
    })
    const seen = []
    for (const recorder of [first, second]) {
      await post(`${recorder.url}/v2/any/52998224725?q=529.982.247-25&payer=Ana+Souza`, body)
      const { url, postData } = (await recorder.logWithEntry()).entries[0]?.request ?? {}
      const { payer, unknown, taxId, number, note } = JSON.parse(postData?.text ?? '')
      expect(unknown).toEqual([payer.document.replace(/\D/g, ''), payer.name])
      expect([taxId, String(number)]).toEqual([unknown[0], unknown[0]])
      expect(note).toBe(`paid by ${payer.name.toUpperCase()}, ${payer.document}.`)
      const { pathname, searchParams } = new URL(url ?? '')
      expect([pathname, searchParams.get('q'), searchParams.get('payer')]).toEqual([
        `/v2/any/${unknown[0]}`,
        payer.document,
        payer.name,
      ])
      seen.push(payer.document)
    }
    expect(seen[0]).not.toBe(seen[1])
  })
})

describe('what stays', () => {
  test('a recording keeps the spelling of amounts, and ids, times, statuses and the order of fields', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const body =
      '{"amount":25.50,"fee":"0.10","status":"pending","currency":"BRL","external_id":"order-12345678901","transaction_id":"tx_0000001w3kaym35atckk","created_at":"2026-11-22T19:06:08.704-03:00","e2e_id":"E12345678202611222206qT46nbmnsI7","hash":null,"ok":true,"list":[],"wallet_id":1,"sha256":"0a"}'
    await post(`${recorder.url}/v2/any?page=2&from_date=2026-11-01`, body, { 'X-Timestamp': '1795385169' })
    const {
      entries: [entry],
    } = await recorder.logWithEntry()
    expect(entry?.request.postData?.text).toBe(body)
    expect(entry?.request.queryString).toEqual([
      { name: 'page', value: '2' },
      { name: 'from_date', value: '2026-11-01' },
    ])
    expect(entry?.request.headers).toContainEqual({ name: 'X-Timestamp', value: '1795385169' })
  })

  test('the name of a documented field stays, even if a person has that name, and its number, even if it is a valid document', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const money = ['percentage', 'total_pages', 'daily_used', 'refunded_amount']
    const names = [...money, 'grant_type', 'expiration', 'canceled_by', 'group']
    const numbers = Object.fromEntries(names.map((name) => [name, 39_053_344_705]))
    await post(`${recorder.url}/v2/any`, JSON.stringify({ people: names.map((name) => ({ name })), ...numbers }))
    const { request } = (await recorder.logWithEntry()).entries[0] ?? {}
    const { people, ...shown } = JSON.parse(request?.postData?.text ?? '')
    expect(shown).toEqual(numbers)
    expect(people.filter(({ name }: { name: string }) => names.includes(name))).toEqual([])
  })

  test('an entry has the times of its call, the target of a redirect and unknown sizes of headers, as HAR 1.2 says', async () => {
    const target = await openTarget(async (_incoming, outgoing) => {
      await pause(20)
      outgoing.writeHead(302, { Location: '/v2/next', 'Content-Type': 'application/json' }).write('[')
      await pause(20)
      outgoing.end(']')
    })
    const recorder = await openTestRecorder(target)
    const beforeMs = Date.now()
    await (await fetch(`${recorder.url}/v2/any`, { redirect: 'manual' })).text()
    const [entry] = (await recorder.logWithEntry()).entries
    const { send, wait, receive } = entry?.timings ?? { send: 0, wait: 0, receive: 0 }
    const beganMs = Date.parse(entry?.startedDateTime ?? '')
    expect(beganMs).toBeGreaterThanOrEqual(beforeMs)
    expect(beganMs + wait + receive).toBeLessThanOrEqual(Date.now())
    expect(Math.min(wait, receive)).toBeGreaterThan(0)
    expect(entry?.time).toBe(send + wait + receive)
    expect(entry?.request).toMatchObject({ headersSize: -1, bodySize: 0 })
    expect(entry?.response).toMatchObject({ redirectURL: '/v2/next', headersSize: -1 })
  })

  test('a documented path stays, even if a person is named like a part of it', async () => {
    const recorder = await openTestRecorder(await openEcho())
    const { path } = endpoints.balance
    await post(`${recorder.url}/v2/any`, '{"name":"Balance"}')
    await fetch(recorder.url + path)
    const { entries } = await recorder.logWithEntry(2)
    expect(entries[1]?.request.url).toMatch(new RegExp(`${path}$`))
  })

  test('every text field of the platform API is classified as personal or not', () => {
    expect(unclassified()).toEqual([])
  })
})
