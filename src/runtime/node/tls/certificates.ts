/** Creates the sandbox's own certificate authority, server certificates (RFC 5280), and a trust store for Java. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP } from 'node:net'
import { dayMs } from '../../../base/duration.js'

// Writes a trust store in the format of Java (JKS): one trusted certificate, protected against changes by a password.

const [magic, version, trustedCertificate] = [0xfeedfeed, 2, 2]
/** Java mixes this text into the digest. */
const digestWhitener = 'Mighty Aphrodite'

/** `der` is the certificate; its `alias` is its name in the store. */
export function trustStore(der: Buffer, alias: string, password: string, nowMs: number): Buffer {
  const created = Buffer.alloc(8)
  created.writeBigInt64BE(BigInt(nowMs))
  const entry = [number(trustedCertificate), text(alias), created, text('X.509'), number(der.length), der]
  const content = Buffer.concat([number(magic), number(version), number(1), ...entry])
  const digest = createHash('sha1')
    .update(Buffer.from(password, 'utf16le').swap16())
    .update(digestWhitener)
    .update(content)
    .digest()
  return Buffer.concat([content, digest])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Encodes a text as two bytes of length, then the text. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

// Encodes DER, the format of X.509 certificates, as far as our certificates need it.

const encode = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), lengthOf(content), content])

/** Encodes a length: one byte up to 127, otherwise the number of length bytes and the length. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff]
  return Buffer.from([0x80 + bytes.length, ...bytes])
}

const sequence = (...items: Buffer[]): Buffer => encode(0x30, Buffer.concat(items))
const set = (...items: Buffer[]): Buffer => encode(0x31, Buffer.concat(items))
const octets = (content: Buffer): Buffer => encode(0x04, content)
const bits = (content: Buffer, unusedBits = 0): Buffer =>
  encode(0x03, Buffer.concat([Buffer.from([unusedBits]), content]))
const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]))
const utf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text))
/** Encodes `[number]` of ASN.1 around a whole value. */
const explicit = (number: number, content: Buffer): Buffer => encode(0xa0 + number, content)
/** Encodes `[number]` of ASN.1 in place of the tag of a simple value. */
const implicit = (number: number, content: Buffer): Buffer => encode(0x80 + number, content)

/** Encodes a positive number. A first byte of 128 or more would make it negative. */
const integer = (bytes: Buffer): Buffer =>
  encode(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes]))

function objectId(text: string): Buffer {
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
function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return text < '2050' ? encode(0x17, Buffer.from(text.slice(2))) : encode(0x18, Buffer.from(text))
}

/** A certificate and its private key, as PEM. */
export interface CertificateWithKey {
  certificate: string
  key: string
}

const authorityDays = 3650
/** Validity of server certificates: some clients reject more than 398 days. */
const serverDays = 397
/** Certificates are valid from this long before now, because clocks of containers and virtual machines can be behind. */
const clockToleranceMs = dayMs

const objectIds = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  alternativeNames: '2.5.29.17',
} as const

/** `serial` is random. It is also part of the name, because two authorities on one machine must not have the same name. */
export function createAuthority(nowMs: number, serial: Buffer): CertificateWithKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const subject = nameOf(`payments-sandbox development CA ${serial.toString('hex').slice(0, 8)}`)
  const extensions = [
    extension(objectIds.basicConstraints, sequence(boolean(true)), true),
    // keyCertSign and cRLSign
    extension(objectIds.keyUsage, bits(Buffer.from([0b00000110]), 1), true),
    extension(objectIds.subjectKeyId, octets(keyId(publicKey))),
  ]
  const days = authorityDays
  return signCertificate(
    { serial, issuer: subject, subject, nowMs, days, publicKey, extensions, signedBy: privateKey },
    privateKey,
  )
}

/** Issues a certificate for the names and IP addresses in `hosts`. */
export function issueCertificate(
  authority: CertificateWithKey,
  hosts: readonly string[],
  nowMs: number,
  serial: Buffer,
): CertificateWithKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const signedBy = createPrivateKey(authority.key)
  const extensions = [
    extension(objectIds.basicConstraints, sequence(), true),
    // digitalSignature
    extension(objectIds.keyUsage, bits(Buffer.from([0b10000000]), 7), true),
    extension(objectIds.extendedKeyUsage, sequence(objectId(objectIds.serverAuth))),
    extension(objectIds.subjectKeyId, octets(keyId(publicKey))),
    extension(objectIds.authorityKeyId, sequence(implicit(0, keyId(createPublicKey(signedBy))))),
    extension(objectIds.alternativeNames, sequence(...hosts.map(alternativeName))),
  ]
  const [, commonName = ''] = /^CN=(.*)$/m.exec(new X509Certificate(authority.certificate).subject) ?? []
  const issuer = nameOf(commonName)
  const subject = nameOf(hosts[0] ?? 'localhost')
  const days = serverDays
  return signCertificate({ serial, issuer, subject, nowMs, days, publicKey, extensions, signedBy }, privateKey)
}

interface Contents {
  serial: Buffer
  issuer: Buffer
  subject: Buffer
  nowMs: number
  days: number
  publicKey: KeyObject
  extensions: Buffer[]
  signedBy: KeyObject
}

function signCertificate(contents: Contents, privateKey: KeyObject): CertificateWithKey {
  const { serial, issuer, subject, nowMs, days, publicKey, extensions, signedBy } = contents
  const algorithm = sequence(objectId(objectIds.ecdsaWithSha256))
  const signed = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(positive(serial)),
    algorithm,
    issuer,
    sequence(time(nowMs - clockToleranceMs), time(nowMs + days * dayMs)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  )
  const certificate = sequence(signed, algorithm, bits(sign('sha256', signed, signedBy)))
  return {
    certificate: pem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Makes a serial number positive, without a leading zero byte or bit, so that every decoder reads the same number. */
const positive = (serial: Buffer) => Buffer.from([((serial[0] ?? 0) & 0x3f) | 0x40, ...serial.subarray(1)])

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(value))

const nameOf = (commonName: string): Buffer =>
  sequence(
    set(sequence(objectId(objectIds.organization), utf8('payments-sandbox'))),
    set(sequence(objectId(objectIds.commonName), utf8(commonName))),
  )

function alternativeName(host: string): Buffer {
  const address = addressBytes(host)
  return address === null ? implicit(2, Buffer.from(host)) : implicit(7, address)
}

/** Encodes an IP address; of IPv6, only the loopback address `::1`. */
function addressBytes(host: string): Buffer | null {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number))
  return host === '::1' ? Buffer.from([...new Array<number>(15).fill(0), 1]) : null
}

const keyId = (key: KeyObject) =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()

export const derOf = (certificate: string): Buffer =>
  Buffer.from(certificate.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
