/** Names that every object inherits. A look-up that does not ask for an own field finds something under them. */

/** Each with an unknown name of the same length and the same letters, which must be treated alike. */
export const inheritedNames = [
  ['constructor', 'constructed'],
  ['__proto__', '__prote__'],
  ['toString', 'toStrong'],
  ['valueOf', 'valueOn'],
  ['hasOwnProperty', 'hasOwnPropriet'],
] as const

const placeholder = 'PLACE-OF-A-NAME'

/** JSON with the name in one place after the other: in place of each text, and as an additional field of each object. */
export function* withNameIn(value: unknown): Generator<(name: string) => string> {
  for (const changed of changesOf(value)) {
    const text = JSON.stringify(changed)
    // Replaced as text, because an assignment to `__proto__` would set the prototype.
    yield (name) => text.replace(placeholder, name)
  }
}

function* changesOf(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield placeholder
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const one of changesOf(item)) yield value.with(at, one)
    return
  }
  yield { ...value, [placeholder]: 1 }
  for (const [key, item] of Object.entries(value)) for (const one of changesOf(item)) yield { ...value, [key]: one }
}
