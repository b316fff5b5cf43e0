/** The parts of a recorded form: as parsed by the producer, or parsed from the body. */
import { MultipartError, parseHeaderValue, partsOf } from '../../../inside/values.js'
import type { Exchange, FormPart } from './exchange.js'

const encoder = new TextEncoder()
const utf8 = new TextDecoder()

/** None if the body is not multipart. */
export function formParts({ form, body, headers }: Exchange): readonly FormPart[] {
  if (form.length > 0 || body === null) return form
  const { parameters } = parseHeaderValue(headers.get('content-type') ?? '')
  const boundary = parameters.get('boundary') ?? firstLine(body).slice(2)
  try {
    // A producer that shortens a body omits its end.
    return partsOf(encoder.encode(`${body}\r\n--${boundary}--`), boundary).map(({ name, fileName, type, content }) => ({
      ...{ name, fileName, type },
      value: utf8.decode(content),
    }))
  } catch (error) {
    if (error instanceof MultipartError) return []
    throw error
  }
}

const firstLine = (text: string) => text.slice(0, Math.max(0, text.indexOf('\r\n')))
