/** The modules of a QR code. A script of its own, because only the page of an unpaid charge needs it. */
import { encode } from 'uqr'

/** Modules of light space around the code, which scanners need. */
const quietZone = 4

export interface QrCode {
  /** Modules on each side. */
  size: number
  /** The dark modules, as an SVG path. */
  path: string
}

export function qrCodeOf(text: string): QrCode {
  const { data, size } = encode(text, { ecc: 'M', border: quietZone })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { size, path }
}
