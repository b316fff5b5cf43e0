/** Decodes the body of a HAR entry: plain or base64, chunked or compressed. */
import { bytesOf, bytesWithin, fieldsIn, joinChunks } from '../../../inside/values.js'
import { maxHarBodyChars } from './format.js'

/** Why a body cannot be used. */
export class UnreadableBody extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/** Returns the text of a body; null if there is none or it is not UTF-8. Throws `UnreadableBody`. `headers` have lower-case names. */
export async function bodyIn(content: unknown, headers: ReadonlyMap<string, string>): Promise<string | null> {
  const { text, encoding, _encoding } = fieldsIn(content)
  if (typeof text !== 'string') return null
  if (text.length > maxHarBodyChars) throw new UnreadableBody('a body is too large')
  const isBase64 = (encoding ?? _encoding) === 'base64'
  if (!isBase64 && headers.get('transfer-encoding') !== 'chunked') return text
  const raw = isBase64 ? decodedBase64(text) : encoder.encode(text)
  const bytes = await inflated(dechunked(raw, headers), headers)
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

function decodedBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytesOf(text))
  } catch {
    throw new UnreadableBody('a body is not base64')
  }
}

/** Most producers join the chunks; some write them as received, with their sizes. */
function dechunked(bytes: Uint8Array<ArrayBuffer>, headers: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  if (headers.get('transfer-encoding') !== 'chunked') return bytes
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = new TextDecoder('latin1').decode(bytes.subarray(at, at + 18))
    const size = /^([0-9a-f]{1,8})(?:;[^\r\n]*)?\r\n/i.exec(head)
    if (size === null) return bytes
    const start = at + size[0].length
    const length = Number.parseInt(size[1] ?? '0', 16)
    if (length === 0) break
    parts.push(bytes.subarray(start, start + length))
    at = start + length + 2
  }
  return joinChunks(parts)
}

/** A producer that decompresses leaves the header unchanged, so the first bytes decide. */
async function inflated(bytes: Uint8Array<ArrayBuffer>, headers: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const encoding = headers.get('content-encoding') ?? ''
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const isDeflate = encoding === 'deflate' && bytes[0] === 0x78
  if (!isGzip && !isDeflate) {
    if (encoding !== 'br' && encoding !== 'zstd') return bytes
    if (bytes[0] === 0x7b || bytes[0] === 0x5b || bytes.length === 0) return bytes
    throw new UnreadableBody(`a body is compressed with ${encoding}; record without compression`)
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(isGzip ? 'gzip' : 'deflate'))
  try {
    return await bytesWithin(stream, maxHarBodyChars, () => new UnreadableBody('a body is too large'))
  } catch (error) {
    throw error instanceof UnreadableBody ? error : new UnreadableBody('a compressed body is damaged')
  }
}
