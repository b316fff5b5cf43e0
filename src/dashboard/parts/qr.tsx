/** A QR code, dark on light in both themes. */
import { useState } from 'hono/jsx/dom'
import type { QrCode } from '../qr.js'
import { useEffect } from '../store/effect.js'

export const Qr = ({ text, label }: { text: string; label: string }) => {
  const [code, setCode] = useState<QrCode | null>(null)
  useEffect(() => {
    void import('../qr.js').then(({ qrCodeOf }) => setCode(qrCodeOf(text)))
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
