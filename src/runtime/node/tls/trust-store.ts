/** Writes a trust store in the format of Java (JKS): one trusted certificate, protected against changes by a password. */
import { createHash } from 'node:crypto'

const [magic, version, trustedCertificate] = [0xfeedfeed, 2, 2]
/** Text that Java's own implementation mixes into the digest. */
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
