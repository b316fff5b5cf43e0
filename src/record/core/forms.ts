/** The forms of values that identify a person, each with a generator of values of the same form and validity. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { digits, randomOf } from '../../base/ids.js'
import type { DrawBytes } from '../../base/random.js'
import { lowerAscii, toAsciiName } from '../../base/text.js'
import { clabeCheckDigit, isClabe } from '../../protocol/rails/clabe.js'
import { isDocument, normaliseDocument } from '../../protocol/rails/documents.js'
import { inferPixKeyType, isPixKey, normalisePixKey } from '../../protocol/rails/pix-key.js'
import { isUuid, newUuid } from '../../protocol/rails/uuid.js'
import { addressLike, evmLike, isAnyAddress, isEvmForm } from './addresses.js'
import { dressLike, scramble } from './scramble.js'

export interface Form {
  name: string
  matches(text: string): boolean
  /** Whether such a value is replaced everywhere, even if no field identifies it. */
  isCertain(text: string): boolean
  /** Returns one text for all notations of the same value. */
  normalise(text: string): string
  /** Generates another value in the same notation. */
  make(text: string, draw: DrawBytes): string
}

const always = () => true
const never = () => false
const same = (text: string) => text
const spaceless = (text: string) => text.replace(/[ .-]/g, '')

// A cheap check of the characters, before checksums are computed.
const isDocumentText = (text: string) =>
  /^(?:[\dA-Za-z]{11}|[\dA-Za-z]{14}|[\dA-Za-z./]{9,16}-\d\d)$/.test(text) && isDocument(text)
const isClabeText = (text: string) => /^\d[\d .-]{16,24}\d$/.test(text) && isClabe(spaceless(text))
const isAddressText = (text: string) => /^[\dA-Za-z]{26,90}$/.test(text) && isAnyAddress(text)
const isPhone = (text: string) =>
  /^\+?[\d ().-]{8,24}$/.test(text) && (isPixKey('phone', text) || /^\+\d{8,15}$/.test(text.replace(/[ ().-]/g, '')))

function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && text.lastIndexOf('.') > at + 1 && !/\s/.test(text)
}

/** The last label of the domain stays, because validators may check it. */
function emailLike(text: string, draw: DrawBytes): string {
  const dot = text.lastIndexOf('.')
  return scramble(text.slice(0, dot), draw) + text.slice(dot)
}

/** Check digits are found by trying, with the project's own validation. */
function documentLike(text: string, draw: DrawBytes): string {
  const old = normaliseDocument(text)
  for (;;) {
    const body = scramble(old.slice(0, -2), draw)
    const made = Array.from({ length: 100 }, (_, check) => body + String(check).padStart(2, '0')).find(isDocument)
    if (made !== undefined) return dressLike(text, made)
  }
}

/** A Brazilian mobile number has a `9` after its area code. Elsewhere only the first two digits are known to be significant. */
function phoneLike(text: string, draw: DrawBytes): string {
  const old = normalisePixKey('phone', text).slice(1)
  const make = () =>
    isPixKey('phone', text)
      ? `55${randomOf('123456789', 2, draw)}9${randomOf(digits, 8, draw)}`
      : old.slice(0, 2) + randomOf(digits, old.length - 2, draw)
  let made = dressLike(text, make())
  // Eleven digits can be a valid document by chance.
  while (inferPixKeyType(made) !== inferPixKeyType(text)) made = dressLike(text, make())
  return made
}

/** The bank code stays: it identifies no person. */
function clabeLike(text: string, draw: DrawBytes): string {
  const first17 = spaceless(text).slice(0, 3) + randomOf(digits, 14, draw)
  return dressLike(text, first17 + clabeCheckDigit(first17))
}

function uuidLike(text: string, draw: DrawBytes): string {
  const made = newUuid(draw)
  const whole = made.slice(0, 14) + text.charAt(14) + made.slice(15, 19) + text.charAt(19) + made.slice(20)
  return /[A-F]/.test(text) ? whole.toUpperCase() : whole.toLowerCase()
}

/** Signatures and hashes. */
const isHex = (text: string) => /^([\da-f]{32,}|[\dA-F]{32,})$/.test(text)

function hexLike(text: string, draw: DrawBytes): string {
  const made = bytesToHex(draw(Math.ceil(text.length / 2))).slice(0, text.length)
  return text === lowerAscii(text) ? made : made.toUpperCase()
}

/** The length of a name in a BR Code: a truncated name gets the beginning of the same pseudonym. */
const nameLength = 25
const folded = (text: string) => toAsciiName(text, nameLength).toUpperCase() || text

/** A value without a form must not accidentally have one. */
const isFormless = (text: string) => !isDocumentText(text) && !isClabeText(text) && !isAddressText(text)

function textLike(text: string, draw: DrawBytes): string {
  let made = scramble(text, draw)
  for (let tries = 0; tries < 20 && (folded(made) === folded(text) || !isFormless(made)); tries++)
    made = scramble(text, draw)
  return made
}

/** The first matching form wins. */
const forms: readonly Form[] = [
  { name: 'email', matches: isEmail, isCertain: always, normalise: lowerAscii, make: emailLike },
  { name: 'uuid', matches: isUuid, isCertain: never, normalise: lowerAscii, make: uuidLike },
  { name: 'document', matches: isDocumentText, isCertain: always, normalise: normaliseDocument, make: documentLike },
  {
    name: 'phone',
    matches: isPhone,
    isCertain: (text) => /^[+(]/.test(text),
    normalise: (text) => normalisePixKey('phone', text),
    make: phoneLike,
  },
  {
    name: 'clabe',
    matches: isClabeText,
    isCertain: always,
    normalise: spaceless,
    make: clabeLike,
  },
  { name: 'evm', matches: isEvmForm, isCertain: always, normalise: lowerAscii, make: evmLike },
  { name: 'hex', matches: isHex, isCertain: never, normalise: lowerAscii, make: hexLike },
  { name: 'address', matches: isAddressText, isCertain: always, normalise: same, make: addressLike },
]

const plainText: Form = { name: 'text', matches: always, isCertain: never, normalise: folded, make: textLike }

/** No form is shorter, and validators need not check long texts. */
const shortest = 6
const longest = 320

export function formOf(text: string): Form {
  if (text.length < shortest || text.length > longest) return plainText
  return forms.find((form) => form.matches(text)) ?? plainText
}

/** Returns the same text for all notations of a value. */
export const labelOf = (text: string, form = formOf(text)): string => `${form.name}\0${form.normalise(text)}`
export const textLabel = (text: string): string => labelOf(text, plainText)
