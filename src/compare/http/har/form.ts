/** The parts of a recorded form: as parsed by the producer, or parsed from the body. */
import type { Exchange, FormPart } from './exchange.js'

export function formParts({ form, body, headers }: Exchange): readonly FormPart[] {
  if (form.length > 0 || body === null) return form
  const boundary = /boundary="?([^";]+)"?/i.exec(headers.get('content-type') ?? '')?.[1] ?? firstLine(body).slice(2)
  if (boundary === '') return []
  return body
    .split(`--${boundary}`)
    .slice(1)
    .flatMap((part): FormPart[] => {
      const end = part.indexOf('\r\n\r\n')
      const head = part.slice(0, Math.max(0, end))
      const name = /\bname="([^"]*)"/i.exec(head)?.[1]
      if (end < 0 || name === undefined) return []
      const fileName = /\bfilename="([^"]*)"/i.exec(head)?.[1] ?? null
      const type = /content-type: *([^\r\n;]+)/i.exec(head)?.[1]?.trim() ?? null
      return [{ name, fileName, type, value: part.slice(end + 4).replace(/\r\n$/, '') }]
    })
}

const firstLine = (text: string) => text.slice(0, Math.max(0, text.indexOf('\r\n')))
