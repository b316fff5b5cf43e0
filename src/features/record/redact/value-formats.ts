/** Formats of personal data (e-mail, document, phone, …), each with a generator of valid pseudonyms in the same format. */

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'
import {
  clabeCheckDigit,
  eip55,
  inferPixKeyType,
  isAddress,
  isClabe,
  isDocument,
  isPixKey,
  isUuid,
  networkNames,
  newUuid,
  normalizeDocument,
  normalizePixKey,
} from '../../../inside/platform.js'
import { digits, type RandomBytes, randomFrom } from '../../../inside/secrets.js'
import { lowerAscii, toAsciiName } from '../../../inside/values.js'

interface ValueFormat {
  name: string
  matches(text: string): boolean
  /** Whether such a value is personal wherever it occurs, even in a field whose name does not say so (default: always). */
  isAlwaysPersonal?(text: string): boolean
  /** Returns one text for all notations of the same value (default: the text). */
  normalize?(text: string): string
  /** Generates another value in the same notation. */
  make(text: string, draw: RandomBytes): string
}

/** The first made text that is right; the last one if so many tries make none. */
export function madeUntil(isRight: (text: string) => boolean, make: () => string, mostTries: number): string {
  let text = make()
  for (let tries = 1; tries < mostTries && !isRight(text); tries++) text = make()
  return text
}

/** Letters that also have a form with an acute accent. */
const letters = 'ACEGIKLMNOPRSUWYZ'
const foreignLetter = /\p{L}/u

/** A leading digit becomes zero only if it was zero: JSON numbers have no leading zeros. */
function digitFor(digit: string, byte: number, isFirst: boolean): string {
  if (!isFirst) return String(byte % 10)
  return digit === '0' ? '0' : String(1 + (byte % 9))
}

/** Replaces letters by letters and digits by digits, so that length, case, accents and punctuation stay. */
function scramble(text: string, draw: RandomBytes): string {
  let bytes = draw(64)
  let used = 0
  const next = (): number => {
    if (used === bytes.length) {
      bytes = draw(64)
      used = 0
    }
    return bytes[used++] ?? 0
  }
  const result: string[] = []
  for (const character of text) {
    if (character >= '0' && character <= '9') result.push(digitFor(character, next(), result.length === 0))
    else if (foreignLetter.test(character)) result.push(letterFor(character, next()))
    else result.push(character)
  }
  return result.join('')
}

function letterFor(character: string, byte: number): string {
  const capital = letters[byte % letters.length] ?? 'A'
  const letter = character === character.toUpperCase() ? capital : capital.toLowerCase()
  return character < '\u0080' ? letter : `${letter}\u0301`.normalize('NFC')
}

/** Puts letters and digits into the places that `text` has for them; case and punctuation stay. */
function applyNotation(text: string, characters: string): string {
  let at = Math.max(0, characters.length - text.replace(/[^\dA-Za-z]/g, '').length)
  return text.replace(/[\dA-Za-z]/g, (old) => {
    const character = characters[at++] ?? old
    return /[a-z]/.test(old) ? character.toLowerCase() : character
  })
}

// Pseudonyms of crypto addresses keep chain, kind, length, letter case and checksum.

const base58check = createBase58check(sha256)
/** Rare lengths need a few hundred attempts. */
const mostTries = 3000

const isAnyAddress = (text: string): boolean => networkNames.some((network) => isAddress(network, text))

/** Whether text is `0x` and 40 hexadecimal digits, with or without a checksum. */
const isEvmForm = (text: string): boolean => /^0x[\da-fA-F]{40}$/.test(text)

const hasBothCases = (text: string) => /[a-f]/.test(text) && /[A-F]/.test(text)

/** Capitals encode a checksum only if the original's did. */
function pseudonymEvmAddress(text: string, draw: RandomBytes): string {
  const digits = text.slice(2)
  // The zero address belongs to nobody and is not valid.
  if (/^0+$/.test(digits)) return text
  const make = () => bytesToHex(draw(20))
  if (digits === digits.toLowerCase()) return `0x${make()}`
  if (digits === digits.toUpperCase()) return `0x${make().toUpperCase()}`
  if (isAnyAddress(text)) return madeUntil(hasBothCases, () => eip55(make()), mostTries)
  // A wrong checksum stays wrong.
  return madeUntil(
    (address) => !isAnyAddress(address),
    () => eip55(make()).replace(/[a-f]/, (letter) => letter.toUpperCase()),
    mostTries,
  )
}

/** For an address that `isAnyAddress` accepts and that is not EVM's. */
function pseudonymAddress(text: string, draw: RandomBytes): string {
  // An address of Solana can begin so, too.
  if (/^bc1/i.test(text) && isAddress('bitcoin', text)) return segwitLike(text, draw)
  const make = isChecked(text) ? checkedLike(text, draw) : plainLike(text, draw)
  return madeUntil((address) => address.length === text.length && isAnyAddress(address), make, mostTries)
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
  const { words } = coder.decode(text.toLowerCase())
  const size = coder.fromWords(words.slice(1)).length
  const address = coder.encode('bc', [words[0] ?? 0, ...coder.toWords(draw(size))])
  return text === text.toUpperCase() ? address.toUpperCase() : address
}

function checkedLike(text: string, draw: RandomBytes): () => string {
  const [version = 0] = base58check.decode(text)
  return () => base58check.encode(Uint8Array.of(version, ...draw(20)))
}

/** Solana: 32 bytes. Each leading `1` is a zero byte; all 32 of them would look like a hash. */
function plainLike(text: string, draw: RandomBytes): () => string {
  const bytes = base58.decode(text)
  const first = bytes.findIndex((byte) => byte !== 0)
  return () => base58.encode(Uint8Array.of(...bytes.subarray(0, first), ...draw(bytes.length - first)))
}

const never = () => false
const withoutSeparators = (text: string) => text.replace(/[ .-]/g, '')

// A cheap check of the characters, before checksums are computed.
const isDocumentText = (text: string) =>
  /^(?:[\dA-Za-z]{11}|[\dA-Za-z]{14}|[\dA-Za-z./]{9,16}-\d\d)$/.test(text) && isDocument(text)
const isClabeText = (text: string) => /^\d[\d .-]{16,24}\d$/.test(text) && isClabe(withoutSeparators(text))
const isAddressText = (text: string) => /^[\dA-Za-z]{26,90}$/.test(text) && isAnyAddress(text)
/** A bare Brazilian mobile number, and the hyphen in front of the last four digits. */
const isPlainlyPhone = (text: string) => /^[+(]|\d{4,5}-\d{4}$/.test(text) || isPixKey('phone', text)
const isCardText = (text: string) => /^(?:2[2-7]|[3-6]\d)[\d -]{10,20}\d$/.test(text) && isCard(withoutSeparators(text))
const isDateText = (text: string) => /^(?:\d{4}-\d\d-\d\d|\d\d\/\d\d\/\d{4})$/.test(text)
const isPhone = (text: string) =>
  /^\+?[\d ().-]{8,24}$/.test(text) && (isPixKey('phone', text) || /^\+\d{8,15}$/.test(text.replace(/[ ().-]/g, '')))

/** The check digit of a card number, Luhn's. */
function luhnDigit(first: string): string {
  const sum = [...first].reduceRight((total, digit, place) => {
    const value = Number(digit) * ((first.length - place) % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return String((10 - (sum % 10)) % 10)
}

const isCard = (digits: string) => /^\d{13,19}$/.test(digits) && luhnDigit(digits.slice(0, -1)) === digits.at(-1)

function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && text.lastIndexOf('.') > at + 1 && !/\s/.test(text)
}

/** The last label of the domain stays, because validators may check it. */
function pseudonymEmail(text: string, draw: RandomBytes): string {
  const dot = text.lastIndexOf('.')
  return scramble(text.slice(0, dot), draw) + text.slice(dot)
}

/** Check digits are found by trying, with the project's own validation. */
function pseudonymDocument(text: string, draw: RandomBytes): string {
  const old = normalizeDocument(text)
  for (;;) {
    const body = scramble(old.slice(0, -2), draw)
    const pseudonym = Array.from({ length: 100 }, (_, check) => body + String(check).padStart(2, '0')).find(isDocument)
    if (pseudonym !== undefined) return applyNotation(text, pseudonym)
  }
}

const phoneDigits = (text: string) => normalizePixKey('phone', text)

/** A Brazilian mobile number has a `9` after its area code. Elsewhere only the first two digits are known to be significant. */
function pseudonymPhone(text: string, draw: RandomBytes): string {
  const old = phoneDigits(text).slice(1)
  const make = () =>
    isPixKey('phone', text)
      ? `55${randomFrom('123456789', 2, draw)}9${randomFrom(digits, 8, draw)}`
      : old.slice(0, 2) + randomFrom(digits, old.length - 2, draw)
  // Eleven digits can be a valid document by chance.
  const isRight = (pseudonym: string) => inferPixKeyType(pseudonym) === inferPixKeyType(text)
  return madeUntil(isRight, () => applyNotation(text, make()), mostTries)
}

/** The bank code stays: it identifies no person. */
function pseudonymClabe(text: string, draw: RandomBytes): string {
  const first17 = withoutSeparators(text).slice(0, 3) + randomFrom(digits, 14, draw)
  return applyNotation(text, first17 + clabeCheckDigit(first17))
}

/** The first six digits stay: they identify the issuer. */
function pseudonymCard(text: string, draw: RandomBytes): string {
  const old = withoutSeparators(text)
  const first = old.slice(0, 6) + randomFrom(digits, old.length - 7, draw)
  return applyNotation(text, first + luhnDigit(first))
}

/** A day that every month has. */
function pseudonymDate(text: string, draw: RandomBytes): string {
  const [year = 0, month = 0, day = 0] = draw(3)
  const made = [1940 + (year % 64), 1 + (month % 12), 1 + (day % 28)].map((part) => String(part).padStart(2, '0'))
  return text.includes('-') ? made.join('-') : made.reverse().join('/')
}

function pseudonymUuid(text: string, draw: RandomBytes): string {
  const pseudonym = newUuid(draw)
  const whole =
    pseudonym.slice(0, 14) + text.charAt(14) + pseudonym.slice(15, 19) + text.charAt(19) + pseudonym.slice(20)
  return /[A-F]/.test(text) ? whole.toUpperCase() : whole.toLowerCase()
}

/** Signatures and hashes. */
const isHex = (text: string) => /^([\da-f]{32,}|[\dA-F]{32,})$/.test(text)

function pseudonymHex(text: string, draw: RandomBytes): string {
  const pseudonym = bytesToHex(draw(Math.ceil(text.length / 2))).slice(0, text.length)
  return text === lowerAscii(text) ? pseudonym : pseudonym.toUpperCase()
}

/**
 * Maximum length of a name in a BR Code. Only this many characters are compared, so that a truncated name gets the same
 * pseudonym.
 */
const nameLength = 25
const folded = (text: string) =>
  toAsciiName(text.slice(0, longest), nameLength)
    .toUpperCase()
    // In a sentence, `Company S.A.` can lose its last point.
    .replace(/[.!:]$/, '') || text

/** Whether a check digit proves that the text is somebody's document, account or card. */
export const hasCheckDigit = (text: string): boolean => isDocumentText(text) || isClabeText(text) || isCardText(text)

/** Must not look like a document, a CLABE, a card or an address. */
const pseudonymText = (text: string, draw: RandomBytes): string =>
  madeUntil(
    (other) => folded(other) !== folded(text) && !hasCheckDigit(other) && !isAddressText(other),
    () => scramble(text, draw),
    21,
  )

/** The first matching format wins. */
const formats: readonly ValueFormat[] = [
  { name: 'email', matches: isEmail, normalize: lowerAscii, make: pseudonymEmail },
  { name: 'uuid', matches: isUuid, isAlwaysPersonal: never, normalize: lowerAscii, make: pseudonymUuid },
  { name: 'document', matches: isDocumentText, normalize: normalizeDocument, make: pseudonymDocument },
  { name: 'phone', matches: isPhone, isAlwaysPersonal: isPlainlyPhone, normalize: phoneDigits, make: pseudonymPhone },
  { name: 'clabe', matches: isClabeText, normalize: withoutSeparators, make: pseudonymClabe },
  { name: 'card', matches: isCardText, normalize: withoutSeparators, make: pseudonymCard },
  { name: 'date', matches: isDateText, isAlwaysPersonal: never, make: pseudonymDate },
  { name: 'evm', matches: isEvmForm, normalize: lowerAscii, make: pseudonymEvmAddress },
  { name: 'hex', matches: isHex, isAlwaysPersonal: never, normalize: lowerAscii, make: pseudonymHex },
  { name: 'address', matches: isAddressText, make: pseudonymAddress },
]

const plainText: ValueFormat = {
  ...{ name: 'text', matches: () => true, isAlwaysPersonal: never, normalize: folded, make: pseudonymText },
}

/** No format is shorter; longer texts are not checked, to save time. */
const shortest = 6
const longest = 320

export function formatOf(text: string): ValueFormat {
  if (text.length < shortest || text.length > longest) return plainText
  return formats.find((form) => form.matches(text)) ?? plainText
}

/** Whether a text is personal, whatever its field. */
export function isAlwaysPersonal(text: string): boolean {
  const form = formatOf(text)
  return form.isAlwaysPersonal?.(text) ?? true
}

/** Returns the same text for all notations of a value. */
export const valueKey = (text: string, form = formatOf(text)): string =>
  `${form.name}\0${form.normalize?.(text) ?? text}`
