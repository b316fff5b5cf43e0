/** Solana addresses and transaction signatures: generated ones are points of the curve ed25519, accepted ones are 32 bytes. */

import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { base58 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/crypto.js'
import { isAddress, isPoint, newAddress, newTxHash } from '../../src/protocol/rails/chain.js'
import { openWithReceivers } from '../support/sandbox.js'
import vectors from '../vectors.json' with { type: 'json' }

const { points, not_points: notPoints } = vectors.address_solana

const prime = 2n ** 255n - 19n
const mod = (value: bigint) => ((value % prime) + prime) % prime

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = mod(base), rest = exponent; rest > 0n; rest >>= 1n, square = mod(square * square))
    if ((rest & 1n) === 1n) result = mod(result * square)
  return result
}

/** Computes x as in RFC 8032 §5.1.3, or null if there is none. The sandbox uses another method. */
function xOf(bytes: Uint8Array): bigint | null {
  const whole = bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
  const y = whole & (2n ** 255n - 1n)
  if (bytes.length !== 32 || y >= prime) return null
  const d = mod(-121665n * power(121666n, prime - 2n))
  const u = mod(y * y - 1n)
  const v = mod(d * y * y + 1n)
  const x = mod(u * v ** 3n * power(u * v ** 7n, (prime - 5n) / 8n))
  const check = mod(v * x * x)
  if (check === u) return x
  return check === mod(-u) ? mod(x * power(2n, (prime - 1n) / 4n)) : null
}

const isOnCurve = (text: string) => (xOf(base58.decode(text)) ?? 0n) !== 0n

describe('points of ed25519:', () => {
  test('published public keys are points, and addresses derived from programs are not', () => {
    for (const { value, note } of points) expect([note, isPoint(base58.decode(value))]).toEqual([note, true])
    for (const { value, note } of notPoints) expect([note, isPoint(base58.decode(value))]).toEqual([note, false])
  })

  test('validation agrees with the square root of RFC 8032 for any bytes, and accepts every key that OpenSSL generates', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(isPoint(bytes)).toBe((xOf(bytes) ?? 0n) !== 0n)
      }),
    )
    for (let round = 0; round < 50; round++) {
      const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
      expect(isPoint(Buffer.from(x, 'base64url'))).toBe(true)
    }
  })

  test('bytes of another length are not a point', () => {
    for (const length of [0, 31, 33]) expect(isPoint(new Uint8Array(length))).toBe(false)
  })
})

test('every generated Solana address is a point, and a public key for OpenSSL', () => {
  const draw = seededRandom('solana').stream('address')
  for (let round = 0; round < 100; round++) {
    const address = newAddress('solana', draw)
    expect([address, isOnCurve(address), isAddress('solana', address)]).toEqual([address, true, true])
    const x = Buffer.from(base58.decode(address)).toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    expect(verify(null, Buffer.from('text'), key, base58.decode(newTxHash('solana', draw)))).toBe(false)
  }
})

test('the first half of a Solana transaction signature is a point, the second is below the order of the curve', () => {
  const draw = seededRandom('solana').stream('hash')
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  for (let round = 0; round < 50; round++) {
    const bytes = base58.decode(newTxHash('solana', draw))
    expect(xOf(bytes.slice(0, 32))).not.toBeNull()
    expect(bytes.slice(32).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n) < order).toBe(true)
  }
})

test('the addresses of charges and wallets on Solana are points', async () => {
  const api = await (await openWithReceivers()).api()
  const made: string[] = []
  for (const currency of ['SOL', 'USDT', 'USDC'])
    for (let round = 0; round < 4; round++) {
      made.push((await api.cashin({ amount: 5, currency, chain: 'solana' })).data.payment_info.address)
      made.push((await api.post('/v2/transactions/wallet', { currency, chain: 'solana' })).data.address)
    }
  expect(made.map((address) => [address, isOnCurve(address)])).toEqual(made.map((address) => [address, true]))
})

test('a withdrawal to the address of a program, which is not a point, settles; one to 31 bytes fails', async () => {
  const sandbox = await openWithReceivers()
  const api = await sandbox.api()
  const { value: program = '' } = notPoints[0] ?? {}
  const { value: short = '' } = vectors.address_solana.invalid[0] ?? {}
  for (const [key, status] of [
    [program, 'confirmed'],
    [short, 'failed'],
  ]) {
    const fields = { amount: 0.5, currency: 'SOL', network: 'solana', key, external_id: `to-${status}` }
    const { transaction_id: id } = (await api.cashout(fields)).data
    await sandbox.advance('2s')
    expect((await sandbox.control('GET', `/transactions/${id}`)).body.status).toBe(status)
  }
})
