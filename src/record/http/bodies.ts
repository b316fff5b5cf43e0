/** Redacts bodies by content type. A body that cannot be parsed could contain a secret anywhere, so it is omitted. */
import { joinChunks } from '../../base/bytes.js'
import { MultipartReader, parseHeaderValue } from '../../http/platform/multipart.js'
import type { Pseudonyms } from '../core/pseudonyms.js'
import { classOf } from '../protocol/fields.js'
import { redactJson, redactName, redactPairs, redactText } from './values.js'

export interface HarParam {
  name: string
  value?: string
  fileName?: string
  comment?: string
}

/** `text` and `params` exclude each other. `omitted` counts the omitted parts. */
export interface RedactedBody {
  text?: string
  params?: HarParam[]
  omitted: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function redactBody(body: Uint8Array | null, contentType: string, pseudonyms: Pseudonyms): RedactedBody {
  if (body === null) return { omitted: 1 }
  if (body.length === 0) return { text: '', omitted: 0 }
  const { value, parameters } = parseHeaderValue(contentType)
  try {
    if (value === 'multipart/form-data') return multipart(body, parameters.get('boundary') ?? '', pseudonyms)
    const text = utf8.decode(body)
    if (value !== 'application/x-www-form-urlencoded') return { text: redactJson(text, pseudonyms), omitted: 0 }
    return {
      params: redactPairs(text, pseudonyms).map(({ name, value: shown }) => ({ name, value: shown })),
      omitted: 0,
    }
  } catch {
    return { omitted: 1 }
  }
}

interface Part {
  name: string
  filename: string | null
  pieces: Uint8Array[]
  size: number
}

/** Omits the content of files, because files such as receipts contain personal data. */
function multipart(body: Uint8Array, boundary: string, pseudonyms: Pseudonyms): RedactedBody {
  const parts: Part[] = []
  const reader = new MultipartReader(boundary, {
    part(name, filename) {
      const part: Part = { name, filename, pieces: [], size: 0 }
      parts.push(part)
      return (bytes) => {
        part.size += bytes.length
        if (filename === null) part.pieces.push(bytes.slice())
      }
    },
  })
  reader.push(body)
  reader.end()
  const params = parts.map(({ name, filename, pieces, size }): HarParam => {
    const shownName = redactName(name, pseudonyms)
    if (filename !== null)
      return { name: shownName, fileName: pseudonyms.of(filename), comment: `${size} bytes are left out` }
    const text = utf8.decode(joinChunks(pieces))
    return { name: shownName, value: redactText(text, classOf(name), pseudonyms) }
  })
  return { params, omitted: parts.filter(({ filename }) => filename !== null).length }
}
