/** Pseudonyms of crypto addresses that keep chain, kind, length, letter case and checksum. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import { eip55, isAddress, networkNames } from '../../../inside/platform.js'
import type { RandomBytes } from '../../../inside/secrets.js'

const base58check = createBase58check(sha256)
/** Rare lengths need a few hundred attempts. */
const mostTries = 3000

export const isAnyAddress = (text: string): boolean => networkNames.some((network) => isAddress(network, text))

/** Whether text is `0x` and 40 hexadecimal digits, with or without a checksum. */
export const isEvmForm = (text: string): boolean => /^0x[\da-fA-F]{40}$/.test(text)

/** Capitals encode a checksum only if the original's did. */
export function pseudonymEvmAddress(text: string, draw: RandomBytes): string {
  const digits = text.slice(2)
  // The zero address belongs to nobody and is not valid.
  if (/^0+$/.test(digits)) return text
  const address = bytesToHex(draw(20))
  if (digits === digits.toLowerCase()) return `0x${address}`
  if (digits === digits.toUpperCase()) return `0x${address.toUpperCase()}`
  const right = eip55(address)
  if (isAnyAddress(text)) return right
  return right.replace(/[a-fA-F]/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

/** For an address that `isAnyAddress` accepts. */
export function pseudonymAddress(text: string, draw: RandomBytes): string {
  if (isEvmForm(text)) return pseudonymEvmAddress(text, draw)
  if (/^bc1/i.test(text)) return segwitLike(text, draw)
  const make = text.length < 32 || isChecked(text) ? checkedLike(text, draw) : plainLike(text, draw)
  let address = make()
  for (let tries = 1; tries < mostTries && (address.length !== text.length || !isAnyAddress(address)); tries++)
    address = make()
  return address
}

function isChecked(text: string): boolean {
  try {
    return base58check.decode(text).length === 21
  } catch {
    return false
  }
}

function segwitLike(text: string, draw: RandomBytes): string {
  const coder = bech32.decodeUnsafe(text) === undefined ? bech32m : bech32
  const { words } = coder.decode(text.toLowerCase(), 90)
  const size = coder.fromWords(words.slice(1)).length
  const address = coder.encode('bc', [words[0] ?? 0, ...coder.toWords(draw(size))])
  return text === text.toUpperCase() ? address.toUpperCase() : address
}

function checkedLike(text: string, draw: RandomBytes): () => string {
  const [version = 0] = base58check.decode(text)
  return () => base58check.encode(Uint8Array.of(version, ...draw(20)))
}

/** Solana: 32 bytes. Each leading `1` is a zero byte. */
function plainLike(text: string, draw: RandomBytes): () => string {
  const bytes = base58.decode(text)
  const zeros = bytes.findIndex((byte) => byte !== 0)
  const first = zeros < 0 ? bytes.length : zeros
  return () => base58.encode(Uint8Array.of(...bytes.subarray(0, first), ...draw(bytes.length - first)))
}
