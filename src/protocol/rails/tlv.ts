/** The layout of EMV merchant codes: two digits of id, two of length, then the value. */

/** One field. Throws RangeError for a value that two digits of length cannot hold. */
export function field(id: string, value: string): string {
  if (value.length > 99) throw new RangeError(`field ${id} is ${value.length} characters long, 99 fit`)
  return `${id}${value.length < 10 ? '0' : ''}${value.length}${value}`
}

const head = /^\d{4}$/

/** The fields in the order they stand in, or null where the text does not divide into fields or one comes twice. */
export function readFields(text: string): Map<string, string> | null {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const start = at + 4
    if (!head.test(text.slice(at, start))) return null
    const id = text.slice(at, at + 2)
    const end = start + Number(text.slice(at + 2, start))
    if (end > text.length || fields.has(id)) return null
    fields.set(id, text.slice(start, end))
    at = end
  }
  return fields
}
