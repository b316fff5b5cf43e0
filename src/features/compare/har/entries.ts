/** Reads the entries of a HAR 1.2 file one by one, so that a truncated file still yields those before its end. */
import { JsonPieces, UnexpectedJson } from '../../../inside/values.js'
import { harFields, NotHar } from './format.js'

interface RawHar {
  entries: unknown[]
  /** Number of exchanges that the recorder omitted. */
  omitted: number
  /** Whether the file is truncated. */
  isCut: boolean
}

/** Throws `NotHar`. */
export function readEntries(text: string): RawHar {
  const har: RawHar = { entries: [], omitted: 0, isCut: false }
  let hasEntries = false
  const pieces = new JsonPieces([text.startsWith('\ufeff') ? text.slice(1) : text])
  const readLog = (key: string) => {
    if (key === 'entries') {
      hasEntries = true
      pieces.list(() => har.entries.push(pieces.value()))
    } else {
      const value = pieces.value()
      if (key === harFields.omitted && typeof value === 'number') har.omitted = value
    }
  }
  try {
    if (pieces.peek() === undefined) throw new NotHar('the file is empty')
    pieces.object((key) => {
      if (key === 'log') return pieces.object(readLog)
      const field = key.slice(0, 100)
      const fault = hasEntries
        ? `it has the field ${field} beside its log`
        : `it has no log.entries before the field ${field}`
      throw new NotHar(`it is not a HAR file: ${fault}`, field)
    })
  } catch (error) {
    if (!(error instanceof UnexpectedJson)) throw error
    if (!hasEntries) throw new NotHar(`it is not a HAR file: ${error.message}`)
    har.isCut = true
  }
  if (!hasEntries) throw new NotHar('it is not a HAR file: it has no log.entries')
  return har
}
