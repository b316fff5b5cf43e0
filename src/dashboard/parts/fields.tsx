/** The fields of an object under the names that the API gives them, whatever they are. */
import type { Child } from 'hono/jsx/dom'
import { CopyButton } from './copy.js'
import { Facts } from './layout.js'
import { Exactly, Said } from './text.js'

/** Texts of this length are worth copying rather than reading. */
const worthCopying = 20

export const Fields = ({ rows }: { rows: readonly (readonly [name: string, value: unknown])[] }) => (
  <Facts rows={rows.flatMap(([name, value]) => flatten(name, value))} />
)

const isElement = (value: object): value is Child & object => 'tag' in value && 'props' in value

function flatten(name: string, value: unknown): (readonly [string, Child])[] {
  if (value === null || value === undefined || value === '') return []
  if (typeof value !== 'object') return [[name, <Value name={name} text={String(value)} />]]
  if (isElement(value)) return [[name, value]]
  if (Array.isArray(value))
    return value.length === 0 ? [] : [[name, <Value name={name} text={JSON.stringify(value)} />]]
  return Object.entries(value).flatMap(([key, inner]) => flatten(`${name}.${key}`, inner))
}

const isMoment = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

const Value = ({ name, text }: { name: string; text: string }) =>
  isMoment(text) ? (
    <Exactly iso={text} />
  ) : text.length < worthCopying ? (
    <Said>{text}</Said>
  ) : (
    <span class="id">
      <span class="long">
        <Said>{text}</Said>
      </span>
      <CopyButton text={text} what={name} />
    </span>
  )
