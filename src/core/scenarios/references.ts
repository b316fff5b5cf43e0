/** References `${name}` and `${name.field}` in the values of a scenario: finding and replacing them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the files themselves

/** Enough for 500 steps with four each; more would take long to fill in. */
export const maxReferences = 2000

interface Reference {
  /** Offsets: of `$`, and after `}`. */
  from: number
  to: number
  /** For example `charge` or `charge.amount`. */
  name: string
}

/** Finds references in a single pass, however long the text is. */
function scan(text: string): Reference[] {
  const found: Reference[] = []
  for (let from = text.indexOf('${'); from >= 0; ) {
    const close = text.indexOf('}', from + 2)
    if (close < 0) break
    found.push({ from, to: close + 1, name: text.slice(from + 2, close).trim() })
    from = text.indexOf('${', close + 1)
  }
  return found
}

interface FoundReference {
  /** For example `charge` or `charge.amount`. */
  name: string
  path: readonly (string | number)[]
}

/** Returns every reference inside a value, with the path to the text that contains it. */
export function referencesIn(value: unknown): FoundReference[] {
  const found: FoundReference[] = []
  const path: (string | number)[] = []
  const visit = (node: unknown): void => {
    if (typeof node === 'string') for (const { name } of scan(node)) found.push({ name, path: [...path] })
    if (node === null || typeof node !== 'object') return
    for (const [key, item] of Object.entries(node)) {
      path.push(Array.isArray(node) ? Number(key) : key)
      visit(item)
      path.pop()
    }
  }
  visit(value)
  return found
}

/** Returns whether there are more than `maxReferences`; stops counting there. */
export function hasTooMany(value: unknown): boolean {
  let referencesLeft = maxReferences
  const visit = (node: unknown): void => {
    if (typeof node === 'string')
      for (let from = node.indexOf('${'); from >= 0 && referencesLeft >= 0; from = node.indexOf('${', from + 2))
        referencesLeft--
    else if (node !== null && typeof node === 'object') for (const item of Object.values(node)) visit(item)
  }
  visit(value)
  return referencesLeft < 0
}

export const hasReference = (value: unknown): boolean => typeof value === 'string' && scan(value).length > 0

/**
 * Returns a copy with every reference replaced. Text that is a single reference takes the value's type. A reference
 * stays if the function returns undefined for it.
 */
export function replaceReferences(value: unknown, lookUp: (name: string) => unknown): unknown {
  if (typeof value === 'string') return textWithValues(value, lookUp)
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, lookUp))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceReferences(item, lookUp)]))
}

function textWithValues(text: string, lookUp: (name: string) => unknown): unknown {
  const references = scan(text)
  const [first] = references
  if (first === undefined) return text
  if (first.from === 0 && first.to === text.length) return lookUp(first.name) ?? text
  const pieces: string[] = []
  let at = 0
  for (const { from, to, name } of references) {
    pieces.push(text.slice(at, from), String(lookUp(name) ?? text.slice(from, to)))
    at = to
  }
  return pieces.join('') + text.slice(at)
}
