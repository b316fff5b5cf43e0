/** A QR code as SVG: one path, dark on light in every theme, with the quiet zone that scanners need. */
import { encode } from 'uqr'
import { type Html, html } from '../html.js'

const quietBorder = 4

export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: quietBorder })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
