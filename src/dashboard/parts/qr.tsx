/** A QR code, dark on light in both themes. */
import { useState } from 'hono/jsx/dom'
import { useEffect } from '../store/hooks.js'

/** Modules of light space around the code, which scanners need. */
const quietZone = 4

interface QrCode {
  /** Modules on each side. */
  size: number
  /** The dark modules, as an SVG path. */
  path: string
}

/** The encoder is a script of its own, because only the page of an unpaid charge needs it. */
async function qrCodeOf(text: string): Promise<QrCode> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: quietZone })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { size, path }
}

export const Qr = ({ text, label }: { text: string; label: string }) => {
  const [code, setCode] = useState<QrCode | null>(null)
  useEffect(() => {
    void qrCodeOf(text).then(setCode)
  }, [text])
  if (code === null) return <div class="qr" />
  const { size, path } = code
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
