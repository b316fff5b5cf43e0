/** Chains: crypto payments by address, on a chain or on a second layer (assumptions.md decisions 15, 18, 20). */

import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import { isoOffset } from '../../base/iso.js'
import type { RandomBytes } from '../../base/random.js'
import { orElse } from '../../base/text.js'
import { labelOf, type Network, networks } from '../platform/currencies.js'
import { cryptoAddressLifeMs } from '../platform/limits.js'
import type { Rail } from './rail.js'

/** The network is never null here: the request named it, or the currency has only one. */
function requireNetwork(network: Network | null): Network {
  if (network === null) throw new Error('a crypto withdrawal requires a network')
  return network
}

export const chain: Rail = {
  type: 'crypto',
  method: 'crypto',
  makeCharge(source, { currency, network, lifeMs }) {
    const on = requireNetwork(network)
    const addressLifeMs = lifeMs ?? cryptoAddressLifeMs
    const expiresAtMs = source.atMs + addressLifeMs
    const info = {
      address: newAddress(on, source.draw('address')),
      chain: on,
      network: labelOf(currency, on),
      min_confirmations: networks[on].minConfirmations,
      expiration: Math.round(addressLifeMs / 1000),
      expires_at: isoOffset(expiresAtMs),
    }
    return { info, expiresAtMs }
  },
  isPaidExactly: false,
  hasExpiryEvent: false,
  isDisputable: false,
  newDestination: (source, network) => newAddress(requireNetwork(network), source.draw('address')),
  confirmations: (network) => networks[requireNetwork(network)].minConfirmations,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  failureOf: ({ key, network }) => (isAddress(requireNetwork(network), key) ? null : 'INVALID_ADDRESS'),
  bankOf: () => null,
  proof: 'hash',
  newRailReference: (source, network) => newTxHash(requireNetwork(network), source.draw('hash')),
}

// Addresses and hashes.

// Points of the curve ed25519 in compressed form: Solana addresses are such keys (RFC 8032, §5.1).

const prime = 2n ** 255n - 19n
/** The `d` of the curve -x² + y² = 1 + dx²y². */
const curveD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const signBit = 2n ** 255n

const modulo = (value: bigint) => ((value % prime) + prime) % prime

/** Whether a number other than zero has this square. Uses the Jacobi symbol, ten times faster than a power. */
function isSquare(value: bigint): boolean {
  let sign = 1
  let top = modulo(value)
  let bottom = prime
  while (top !== 0n) {
    while ((top & 1n) === 0n) {
      top >>= 1n
      const rest = bottom & 7n
      if (rest === 3n || rest === 5n) sign = -sign
    }
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) sign = -sign
    const rest = bottom % top
    bottom = top
    top = rest
  }
  return bottom === 1n && sign === 1
}

/** Whether 32 bytes are a point: y little-endian and below the prime, the sign of x in the highest bit. */
export function isPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false
  const whole = BigInt(`0x${bytesToHex(bytes.toReversed())}`)
  const y = whole >= signBit ? whole - signBit : whole
  if (y >= prime) return false
  const ySquared = (y * y) % prime
  // x² = (y² - 1) / (dy² + 1), and a quotient is a square if the product is one.
  return isSquare((ySquared - 1n) * (curveD * ySquared + 1n))
}

/** Tries random bytes; about every second attempt is a point. */
function newPoint(draw: RandomBytes): Uint8Array {
  for (;;) {
    const bytes = draw(32)
    if (isPoint(bytes)) return bytes
  }
}

/** A number below 2²⁵², so below the order of the curve: the second half of a signature. */
function newScalar(draw: RandomBytes): Uint8Array {
  return draw(32).map((byte, at) => (at === 31 ? byte & 0x0f : byte))
}

interface NetworkFormat {
  isValid(text: string): boolean
  create(draw: RandomBytes): string
  newHash(draw: RandomBytes): string
}

const base58check = createBase58check(sha256)
const tronVersion = 0x41
const p2pkhVersion = 0x00
const p2shVersion = 0x05

/** The version byte of 21 bytes in base58check, or null. */
function base58Version(text: string): number | null {
  const bytes = orElse(null, () => base58check.decode(text))
  return bytes?.length === 21 ? (bytes[0] ?? null) : null
}

/** EIP-55: a letter is a capital where the keccak-256 of the lower-case digits has a nibble of 8 or more. */
export function eip55(lowerHex: string): string {
  const address = lowerHex.replace(/^0x/, '')
  const hash = bytesToHex(keccak_256(utf8ToBytes(address)))
  const letters = Array.from(address, (letter, at) => (hash.charAt(at) >= '8' ? letter.toUpperCase() : letter))
  return `0x${letters.join('')}`
}

/** Text in one case has no checksum and passes. The zero address is rejected because it would burn the money. */
function isEvmAddress(text: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text) || /^0x0{40}$/.test(text)) return false
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  return digits === lower || digits === digits.toUpperCase() || text === eip55(lower)
}

/** Witness versions without a meaning are well-formed but rejected: anyone could spend money sent there. */
function isSegwitAddress(text: string): boolean {
  const v0 = bech32.decodeUnsafe(text)
  const decoded = v0 ?? bech32m.decodeUnsafe(text)
  if (decoded?.prefix !== 'bc') return false
  const [version, ...words] = decoded.words
  const length = bech32.fromWordsUnsafe(words)?.length
  return v0 ? version === 0 && (length === 20 || length === 32) : version === 1 && length === 32
}

function isBitcoinAddress(text: string): boolean {
  if (/^bc1[a-z0-9]{11,87}$/i.test(text)) return isSegwitAddress(text)
  if (!/^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/.test(text)) return false
  const version = base58Version(text)
  return version === p2pkhVersion || version === p2shVersion
}

const evm: NetworkFormat = {
  isValid: isEvmAddress,
  create: (draw) => eip55(bytesToHex(draw(20))),
  newHash: (draw) => `0x${bytesToHex(draw(32))}`,
}

/** Lengths are limited before decoding, because base58 takes quadratic time. */
const formats: Record<Network, NetworkFormat> = {
  tron: {
    isValid: (text) => /^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text) && base58Version(text) === tronVersion,
    create: (draw) => base58check.encode(Uint8Array.of(tronVersion, ...draw(20))),
    newHash: (draw) => bytesToHex(draw(32)),
  },
  ethereum: evm,
  bsc: evm,
  polygon: evm,
  // Addresses of programs are not curve points but can receive money, so 32 bytes are enough.
  solana: {
    isValid: (text) =>
      /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text) && orElse(null, () => base58.decode(text))?.length === 32,
    create: (draw) => base58.encode(newPoint(draw)),
    // A transaction is named by its first signature.
    newHash: (draw) => base58.encode(Uint8Array.of(...newPoint(draw), ...newScalar(draw))),
  },
  bitcoin: {
    isValid: isBitcoinAddress,
    create: (draw) => bech32.encode('bc', [0, ...bech32.toWords(draw(20))]),
    newHash: (draw) => bytesToHex(draw(32)),
  },
  arbitrum: evm,
  base: evm,
  optimism: evm,
}

/** Whether `text` is a valid address on `chain`: format, checksum if it has one, not a burn address. */
export function isAddress(chain: Network, text: string): boolean {
  return formats[chain].isValid(text)
}

/** Generates a well-formed address without a known key (Bitcoin: P2WPKH). */
export function newAddress(chain: Network, draw: RandomBytes): string {
  return formats[chain].create(draw)
}

/** Generates the `hash` of a withdrawal or of a deposit (interface.md §6.5). */
export function newTxHash(network: Network, draw: RandomBytes): string {
  return formats[network].newHash(draw)
}
