/** Redacts bodies by content type. A body that cannot be parsed could contain a secret anywhere, so it is omitted. */
import { parseHeaderValue, partsOf } from '../../../inside/values.js'
import { classOf } from './fields.js'
import type { Pseudonyms } from './pseudonyms.js'
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

/** Omits the content of files, because files such as receipts contain personal data. */
function multipart(body: Uint8Array, boundary: string, pseudonyms: Pseudonyms): RedactedBody {
  const parts = partsOf(body, boundary)
  const params = parts.map(({ name, fileName, content }): HarParam => {
    const shownName = redactName(name, pseudonyms)
    if (fileName !== null)
      return { name: shownName, fileName: pseudonyms.of(fileName), comment: `${content.length} bytes are left out` }
    const text = utf8.decode(content)
    return { name: shownName, value: redactText(text, classOf(name), pseudonyms) }
  })
  return { params, omitted: parts.filter(({ fileName }) => fileName !== null).length }
}
