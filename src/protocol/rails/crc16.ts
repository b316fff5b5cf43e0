/** The checksum at the end of every BR Code: CRC-16/CCITT-FALSE. */

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 8
  for (let bit = 0; bit < 8; bit++) value = value & 0x8000 ? (value << 1) ^ 0x1021 : value << 1
  return value
})

const encoder = new TextEncoder()

/** Four upper-case hex digits over the UTF-8 bytes of `text` (polynomial 0x1021, start 0xFFFF, nothing reflected). */
export function crc16(text: string): string {
  let crc = 0xffff
  for (const byte of encoder.encode(text)) crc = ((crc << 8) & 0xffff) ^ (table[(crc >> 8) ^ byte] ?? 0)
  return crc.toString(16).toUpperCase().padStart(4, '0')
}
