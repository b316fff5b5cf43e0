/** Replaces personal data in a BR Code: field lengths stay, and the checksum is recomputed. */
import { crc16, field, readFields } from '../../../inside/platform.js'

type Replace = (text: string) => string

/** Fields with subfields: accounts, additional data, other languages, unreserved templates. */
const isTemplate = (id: string) => /^(2[6-9]|[34]\d|5[01]|62|64|[89]\d)$/.test(id)
/** Subfields that stay: the arrangement's name, and the payee's reference in field 62, which is an id. */
const staysIn = (template: string, id: string) => id === (template === '62' ? '05' : '00')

export const isBrCode = (text: string): boolean => text.startsWith('000201') && readFields(text)?.has('63') === true

/** For text that `isBrCode` accepts; null if it cannot be parsed. */
export function brCodeLike(text: string, replace: Replace): string | null {
  const fields = readFields(text)
  if (fields === null) return null
  const crc = fields.get('63') ?? ''
  fields.delete('63')
  const parts: string[] = []
  for (const [id, value] of fields) {
    const newValue = replaced(id, value, replace)
    if (newValue === null) return null
    parts.push(field(id, newValue))
  }
  const payload = `${parts.join('')}6304`
  const [right, old] = [crc16(payload), crc16(text.slice(0, -4))]
  if (crc === old) return payload + right
  // A wrong checksum stays wrong.
  return payload + (crc.length !== 4 || crc === right ? '0000' : crc)
}

function replaced(id: string, value: string, replace: Replace): string | null {
  if (id === '59') return replace(value)
  if (!isTemplate(id)) return value
  const inner = readFields(value)
  if (inner === null) return null
  return [...inner]
    .map(([name, one]) => field(name, staysIn(id, name) ? one : innerValue(id, name, one, replace)))
    .join('')
}

/** The host of a charge's URL stays; the rest is replaced. */
function innerValue(id: string, name: string, value: string, replace: Replace): string {
  if (id !== '26' || name !== '25') return replace(value)
  const slash = value.lastIndexOf('/')
  return value.slice(0, slash + 1) + replace(value.slice(slash + 1))
}
