/** Encodes DER, the format of X.509 certificates, as far as our certificates need it. */

const encode = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), lengthOf(content), content])

/** Encodes a length: one byte up to 127, otherwise the number of length bytes and the length. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff]
  return Buffer.from([0x80 + bytes.length, ...bytes])
}

export const sequence = (...items: Buffer[]): Buffer => encode(0x30, Buffer.concat(items))
export const set = (...items: Buffer[]): Buffer => encode(0x31, Buffer.concat(items))
export const octets = (content: Buffer): Buffer => encode(0x04, content)
export const bits = (content: Buffer, unusedBits = 0): Buffer =>
  encode(0x03, Buffer.concat([Buffer.from([unusedBits]), content]))
export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]))
export const utf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text))
/** Encodes `[number]` of ASN.1 around a whole value. */
export const explicit = (number: number, content: Buffer): Buffer => encode(0xa0 + number, content)
/** Encodes `[number]` of ASN.1 in place of the tag of a simple value. */
export const implicit = (number: number, content: Buffer): Buffer => encode(0x80 + number, content)

/** Encodes a positive number. A first byte of 128 or more would make it negative. */
export const integer = (bytes: Buffer): Buffer =>
  encode(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes]))

export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return encode(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Encodes a number with seven bits in each byte; all bytes but the last have the high bit. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}

/** Encodes a time: two digits of the year until 2049, four from 2050 on, as RFC 5280 requires. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return text < '2050' ? encode(0x17, Buffer.from(text.slice(2))) : encode(0x18, Buffer.from(text))
}
