/** `${name}` and `${name.field}` in the values of a scenario: finding them, and putting what they stand for in their place. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

const anyReference = /\$\{\s*([^}]*?)\s*\}/g
const onlyReference = /^\$\{\s*([^}]*?)\s*\}$/

/** Every reference inside a value, with the path to the text that holds it. */
export function referencesIn(value: unknown, path: readonly (string | number)[] = []): Found[] {
  if (typeof value === 'string')
    return [...value.matchAll(anyReference)].map((match) => ({ name: match[1] ?? '', path }))
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, [...path, index]))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, [...path, key]))
}

export interface Found {
  /** `charge` or `charge.amount` */
  name: string
  path: readonly (string | number)[]
}

export const hasReference = (value: unknown): boolean => typeof value === 'string' && value.includes('${')

/** A copy with every reference replaced; a text that is one reference and nothing else takes on its type. `look` answers undefined to leave it. */
export function withValues(value: unknown, look: (name: string) => unknown): unknown {
  if (typeof value === 'string') return textWithValues(value, look)
  if (Array.isArray(value)) return value.map((item) => withValues(item, look))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withValues(item, look)]))
}

function textWithValues(text: string, look: (name: string) => unknown): unknown {
  const only = onlyReference.exec(text)
  if (only !== null) return look(only[1] ?? '') ?? text
  return text.replace(anyReference, (whole, name: string) => String(look(name) ?? whole))
}
