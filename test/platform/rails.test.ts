/** Every format of the rails against published vectors, and generated values against our own validation. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/crypto.js'
import type { RandomBytes } from '../../src/base/random.js'
import type { Network } from '../../src/protocol/platform/currencies.js'
import { eip55, isAddress, newAddress, newTxHash } from '../../src/protocol/rails/chain.js'
import * as brCode from '../../src/protocol/rails/pix.js'
import * as pix from '../../src/protocol/rails/pix.js'
import { buildDynamicBrCode, crc16, parseBrCode } from '../../src/protocol/rails/pix.js'
import {
  inferPixKeyType,
  isCnpj,
  isCpf,
  isDocument,
  isPixKey,
  isUuid,
  isUuidV4,
  newRandomPixKey,
  newUuid,
  normalizeDocument,
  normalizePixKey,
  type PixKeyType,
  pixKeyTypes,
} from '../../src/protocol/rails/pix-key.js'
import * as spei from '../../src/protocol/rails/spei.js'
import { abmOf, bankOfClabe, banks, clabeCheckDigit, isClabe, newClabe } from '../../src/protocol/rails/spei.js'
import { isTxHash } from '../support/tx-hash.js'
import vectors from '../vectors.json' with { type: 'json' }

const evmChains = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'base', 'optimism'] as const
const chains = ['tron', 'solana', 'bitcoin', ...evmChains] as const satisfies readonly Network[]

/** Seeds for a property; fast-check prints the seed of a failure. */
const draws: fc.Arbitrary<RandomBytes> = fc.nat().map((seed) => seededRandom(`rails ${seed}`).stream('test'))

/** A text, and the same text with one character replaced by another of `alphabet`. */
function flip(text: string, place: number, letter: number, alphabet: string): string {
  const at = place % text.length
  const others = alphabet.replace(text.charAt(at), '')
  return text.slice(0, at) + others.charAt(letter % others.length) + text.slice(at + 1)
}

function expectAll(items: readonly { value: string }[], check: (value: string) => boolean, expected: boolean): void {
  expect(items.length).toBeGreaterThan(0)
  for (const item of items) expect(check(item.value), JSON.stringify(item)).toBe(expected)
}

describe('BR Code:', () => {
  const { valid, valid_composite_optional: composite, invalid, rules } = vectors.pix_brcode

  test('published codes are parsed with kind, amount, txid and checksum', () => {
    for (const item of valid) {
      const code = parseBrCode(item.value)
      expect(code, item.note).toMatchObject({ ok: true, kind: item.kind, amount: item.amount ?? null })
      expect(code).toMatchObject({
        txid: item.value.includes('62070503***') ? null : (item.txid ?? expect.any(String)),
      })
      expect(crc16(item.value.slice(0, -4))).toBe(item.crc)
    }
    for (const item of composite)
      expect(parseBrCode(item.value), item.note).toMatchObject({ ok: true, kind: 'dynamic' })
  })

  test('broken codes are rejected with the reason', () => {
    const reasons = invalid.map((item) => {
      const code = parseBrCode(item.value)
      return code.ok ? `accepted: ${item.reason}` : code.reason
    })
    expect(reasons).toEqual([
      'checksum is 0000, expected DCDF',
      'fields out of order, or field 63 is not the last',
      'field 63 is not four upper-case hex digits',
      'checksum is 1D3D, expected 2D5C',
      'field 26 is not of br.gov.bcb.pix',
      'field 59 is not a name of 1 to 25 characters',
      'field 62 has no txid of 1 to 25 letters and digits',
      'field 54 is not an amount with two places',
    ])
  })

  test('text that is not a code is rejected and never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => !parseBrCode(text).ok))
    for (const text of ['', '0', '00', '0002', '000299', `000201${'9'.repeat(600)}`])
      expect(parseBrCode(text).ok).toBe(false)
  })

  test('the checksum equals the published values', () => {
    for (const item of vectors.crc16_ccitt_false) expect(crc16(item.input)).toBe(item.crc)
  })

  test('a generated code equals the published one character for character', () => {
    expect(
      buildDynamicBrCode({
        url: 'qr.sandbox.example/v2/cob/0b1f6d0c9d2e4f7a8c3b5e6a7d8f9a10',
        amount: null,
        merchantName: 'LOJA EXEMPLO LTDA',
        city: 'SAO PAULO',
      }),
    ).toBe(valid[3]?.value)
  })

  test('names lose their accents, are cut to the length of the field, and are never empty', () => {
    const code = { url: 'qr.sandbox.example/1', amount: '1.00' }
    const read = (merchantName: string, city: string) =>
      parseBrCode(buildDynamicBrCode({ ...code, merchantName, city }))
    expect(read('Pão de Açúcar Comércio e Distribuição', 'São José dos Campos')).toMatchObject({
      merchantName: 'Pao de Acucar Comercio e',
      city: 'Sao Jose dos Ca',
    })
    expect(read('  東京 \n', '🏙')).toMatchObject({ merchantName: 'N', city: 'C' })
  })

  test('every generated code is parsed back, and matches the published pattern', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 60 })
    const centavos = fc.option(fc.integer({ min: 1, max: 999_999_999_999 }))
    fc.assert(
      fc.property(draws, name, name, centavos, (draw, merchantName, city, minor) => {
        const amount = minor === null ? null : `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
        const url = `qr.sandbox.example/v2/cob/${brCode.newTxid(draw)}`
        const dynamic = buildDynamicBrCode({ url, amount, merchantName, city })
        expect(parseBrCode(dynamic)).toMatchObject({ ok: true, kind: 'dynamic', url, amount, txid: null })
        expect(dynamic).toMatch(new RegExp(rules.regex))
      }),
    )
  })

  test('one changed character anywhere is detected', () => {
    const letters = '0123456789ABCDEFabcdef. *'
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), fc.nat(), ({ value }, place, letter) => {
        expect(parseBrCode(flip(value, place, letter, letters)).ok).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  test('values that the format cannot hold are an error, not a broken code', () => {
    const owner = { merchantName: 'N', city: 'C' }
    for (const url of ['https://qr.sandbox.example/1', 'no-path', `qr.sandbox.example/${'x'.repeat(60)}`, '']) {
      expect(() => buildDynamicBrCode({ ...owner, url, amount: null })).toThrow(RangeError)
    }
    for (const amount of ['1', '1,00', '1.0', '01.00', '-1.00', '12345678901.00']) {
      expect(() => buildDynamicBrCode({ ...owner, url: 'a.example/1', amount })).toThrow(RangeError)
    }
  })
})

describe('payment identifiers:', () => {
  test('a new end-to-end id has the minute in UTC', () => {
    const draw = seededRandom('minute').stream('test')
    const atMs = Date.UTC(2026, 10, 21, 23, 59, 59, 999)
    expect(pix.newEndToEndId(atMs, draw)).toMatch(/^E\d{8}202611212359[A-Za-z0-9]{11}$/)
  })

  test('the txid of a static code has 1 to 25 letters and digits, or is absent', () => {
    expectAll(vectors.pix_txid.valid_static, brCode.isStaticTxid, true)
    expectAll(vectors.pix_txid.invalid_static, brCode.isStaticTxid, false)
  })

  test('every generated id is a valid one', () => {
    fc.assert(
      fc.property(draws, fc.integer({ min: 0, max: Date.UTC(2100, 0) }), (draw, atMs) => {
        expect(pix.newEndToEndId(atMs, draw)).toMatch(new RegExp(vectors.pix_end_to_end_id.rules.regex))
        expect(brCode.newTxid(draw)).toMatch(new RegExp(vectors.pix_txid.rules.dynamic))
        expect(spei.newTrackingKey(draw)).toMatch(new RegExp(vectors.spei_tracking_key.rules.regex))
        expect(spei.newReferenceNumber(draw)).toMatch(new RegExp(vectors.spei_tracking_key.rules.reference_number))
      }),
    )
  })

  test('the same seed generates the same ids, and never the same id twice', () => {
    const some = () => {
      const draw = seededRandom('again').stream('test')
      return Array.from({ length: 1000 }, () => pix.newEndToEndId(0, draw))
    }
    expect(some()).toEqual(some())
    expect(new Set(some()).size).toBe(1000)
  })

  test('UUIDs are generated in version 4 and validated', () => {
    fc.assert(fc.property(draws, (draw) => new RegExp(vectors.request_hmac.nonce_regex_uuid_v4).test(newUuid(draw))))
    expect(isUuidV4('3F2B8C1E-7A4D-4C9B-8E21-5D6F7A8B9C0D')).toBe(true)
    expect(isUuidV4('123e4567-e89b-12d3-a456-426655440000')).toBe(false)
    expect(isUuid('123e4567-e89b-12d3-a456-426655440000')).toBe(true)
    expect(isUuid('123e4567e89b12d3a456426655440000')).toBe(false)
    expect(newUuid(() => new Uint8Array(16).fill(255))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
    expect(newUuid(() => new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000')
  })
})

describe('documents and PIX keys:', () => {
  test('CPF and CNPJ are accepted with and without mask, and rejected with wrong check digits', () => {
    for (const [kind, check] of [['cpf', isCpf] as const, ['cnpj', isCnpj] as const]) {
      expectAll([...vectors[kind].valid, ...vectors[kind].valid_masked], check, true)
      expectAll(vectors[kind].invalid, check, false)
      expectAll(vectors[kind].invalid, isDocument, false)
      for (const item of vectors[kind].valid_masked) expect(normalizeDocument(item.value)).toBe(item.normalised)
    }
    expect(isCnpj('12.abc.345/01de-35')).toBe(true)
    expect(isCnpj('12abc34501dı35')).toBe(false)
    expectAll([{ value: '' }, { value: ' 52998224725' }, { value: '529 982 247 25' }], isDocument, false)
  })

  test('PIX keys are validated by their type', () => {
    const { valid, valid_after_normalising: repairable, invalid } = vectors.pix_key
    for (const { key_type, value } of [...valid, ...repairable]) {
      expect(isPixKey(key_type as PixKeyType, value), value).toBe(true)
    }
    for (const { key_type, value } of invalid) expect(isPixKey(key_type as PixKeyType, value), value).toBe(false)
    for (const { key_type, value, normalised } of repairable) {
      expect(normalizePixKey(key_type as PixKeyType, value)).toBe(normalised)
    }
  })

  test('a missing type is inferred from the form of the key', () => {
    for (const { key_type, value } of vectors.pix_key.valid) expect(inferPixKeyType(value)).toBe(key_type)
    const looks: Record<string, PixKeyType | null> = {
      '529.982.247-25': 'cpf',
      '11912345684': 'cpf',
      '11987654321': 'phone',
      '(11) 98765-4321': 'phone',
      '5511987654321': 'phone',
      '12.ABC.345/01DE-35': 'cnpj',
      'fulano@': 'email',
      '12345678901': null,
      nobody: null,
      '': null,
    }
    expect(Object.fromEntries(Object.keys(looks).map((key) => [key, inferPixKeyType(key)]))).toEqual(looks)
  })

  test('national, masked and international notations of a number are one key', () => {
    for (const text of ['11987654321', '(11) 98765-4321', '5511987654321', '+55 11 98765-4321']) {
      expect(normalizePixKey('phone', text)).toBe('+5511987654321')
    }
    expectAll(
      [{ value: '+14155552671' }, { value: '1132654321' }, { value: 'x11987654321' }],
      (text) => isPixKey('phone', text),
      false,
    )
  })

  test('normalizing is idempotent, and does not change letters that only resemble Latin ones', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...vectors.pix_key.valid).map((item) => item.value),
    )
    fc.assert(
      fc.property(fc.constantFrom(...pixKeyTypes), text, (type, key) => {
        const once = normalizePixKey(type, key)
        if (isPixKey(type, key)) expect(normalizePixKey(type, once)).toBe(once)
        expect(isPixKey(type, once)).toBe(isPixKey(type, key))
      }),
    )
    expect(isPixKey('email', '\u212Aelvin@example.com')).toBe(false)
  })

  test('generated random keys are keys of type random', () => {
    fc.assert(
      fc.property(draws, (draw) => {
        const key = newRandomPixKey(draw)
        expect([isPixKey('random', key), inferPixKeyType(key)]).toEqual([true, 'random'])
      }),
    )
  })
})

describe('CLABE and banks:', () => {
  test('the check digit decides whether or not the bank is known', () => {
    const { valid, invalid, checksum_ok_but_unknown_bank: unknown } = vectors.clabe
    expectAll([...valid, ...unknown], isClabe, true)
    expectAll(invalid, isClabe, false)
    for (const { value } of valid) expect(clabeCheckDigit(value.slice(0, 17))).toBe(value.charAt(17))
    for (const { value } of unknown) expect(bankOfClabe(value)).toBeNull()
    expect(bankOfClabe('646180110400000007')).toEqual({ abm: '646', banxico: '90646', name: 'STP' })
    expect(() => clabeCheckDigit('123')).toThrow(RangeError)
  })

  test('banks are found by both forms of their code', () => {
    const { valid, invalid } = vectors.mx_bank_code
    expect(banks).toEqual(valid.map(({ abm, banxico, name }) => ({ abm, banxico, name })))
    for (const { abm, banxico } of valid) {
      expect([abmOf(abm), abmOf(banxico)]).toEqual([abm, abm])
    }
    for (const { value } of invalid) expect(abmOf(value)).toBeNull()
  })

  test('a generated CLABE is valid and of the requested bank', () => {
    fc.assert(
      fc.property(draws, fc.constantFrom(...banks), (draw, bank) => {
        const clabe = newClabe(draw, bank.banxico)
        expect([isClabe(clabe), bankOfClabe(clabe)]).toEqual([true, bank])
        expect(bankOfClabe(newClabe(draw))?.abm).toBe('646')
      }),
    )
    expect(() => newClabe(seededRandom('x').stream('test'), '999')).toThrow(RangeError)
  })

  test('one changed digit anywhere is detected', () => {
    fc.assert(
      fc.property(draws, fc.nat(), fc.nat(), (draw, place, letter) => {
        expect(isClabe(flip(newClabe(draw), place, letter, '0123456789'))).toBe(false)
      }),
    )
  })
})

describe('addresses and transaction hashes:', () => {
  const on = (chain: Network) => (text: string) => isAddress(chain, text)
  const { address_tron: tron, address_evm: evm, address_solana: solana, address_bitcoin: bitcoin } = vectors

  test('Tron, Solana and Bitcoin addresses are decoded and their checksums verified', () => {
    for (const [chain, section] of Object.entries({ tron, solana, bitcoin })) {
      expectAll(section.valid, on(chain as Network), true)
      expectAll(section.invalid, on(chain as Network), false)
    }
  })

  test('EVM addresses follow EIP-55 on every EVM chain', () => {
    for (const chain of evmChains) {
      expectAll(evm.valid, on(chain), true)
      expectAll(evm.invalid, on(chain), false)
    }
    for (const pair of evm.checksum_pairs) expect(eip55(pair.lower)).toBe(pair.eip55)
  })

  test('well-formed destinations that would lose the money are rejected', () => {
    expectAll(evm.burn_or_zero, on('ethereum'), false)
    expectAll(bitcoin.well_formed_but_unassigned_witness, on('bitcoin'), false)
  })

  test('an address of one chain is invalid on another', () => {
    fc.assert(
      fc.property(draws, fc.constantFrom(...chains), fc.constantFrom(...chains), (draw, made, read) => {
        const isEvm = (chain: Network) => evmChains.some((name) => name === chain)
        const same = made === read || (isEvm(made) && isEvm(read))
        expect(isAddress(read, newAddress(made, draw))).toBe(same)
      }),
    )
    expect(newAddress('bitcoin', seededRandom('x').stream('test'))).toMatch(/^bc1q[a-z0-9]{38}$/)
  })

  test('one changed character of a bech32 address is detected', () => {
    fc.assert(
      fc.property(draws, fc.nat(), fc.nat(), (draw, place, letter) => {
        const address = newAddress('bitcoin', draw)
        const changed = address.slice(0, 4) + flip(address.slice(4), place, letter, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l')
        expect(isAddress('bitcoin', changed)).toBe(false)
      }),
    )
  })

  test('no text makes validation throw', () => {
    const odd = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^(bc1|BC1|0x|T|1|3)[1-9A-Za-z]{0,80}$/))
    fc.assert(
      fc.property(fc.constantFrom(...chains), odd, (chain, text) => {
        expect(typeof isAddress(chain, text)).toBe('boolean')
      }),
    )
  })

  test('transaction hashes have the format of their network', () => {
    for (const { chain, value } of vectors.tx_hash.valid) expect(isTxHash(chain as Network, value), value).toBe(true)
    for (const { chain, value } of vectors.tx_hash.invalid) expect(isTxHash(chain as Network, value), value).toBe(false)
    fc.assert(fc.property(draws, fc.constantFrom(...chains), (draw, chain) => isTxHash(chain, newTxHash(chain, draw))))
  })
})
