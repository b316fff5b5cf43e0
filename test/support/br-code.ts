/** Reads a BR Code as the public manual describes it: tag, length, value, and the CRC over everything before it. */

/** Returns the CRC-16/CCITT-FALSE as four upper-case hexadecimal digits. */
export function crcOf(text: string): string {
  let crc = 0xffff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff) >>> 0
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

/** Returns the fields of one level by their two-digit ids. Throws if a length exceeds the text. */
export function fieldsOf(text: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < text.length; ) {
    const length = Number(text.slice(at + 2, at + 4))
    const value = text.slice(at + 4, at + 4 + length)
    if (!/^\d{4}$/.test(text.slice(at, at + 4)) || value.length !== length) throw new Error(`broken at ${at}: ${text}`)
    fields[text.slice(at, at + 2)] = value
    at += 4 + length
  }
  return fields
}
