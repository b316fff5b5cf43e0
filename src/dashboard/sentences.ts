/** Translates the sentences of reports, in which values stand anywhere. Loaded with the texts of reports. */

/** What stands between the pieces; undefined if the text has others. */
function between([first = '', ...pieces]: readonly string[], text: string): string[] | undefined {
  if (!text.startsWith(first)) return undefined
  let from = first.length
  const found: string[] = []
  for (const [at, piece] of pieces.entries()) {
    const isLast = at === pieces.length - 1
    const to = isLast && text.endsWith(piece) ? text.length - piece.length : isLast ? -1 : text.indexOf(piece, from + 1)
    if (to <= from) return undefined
    found.push(text.slice(from, to))
    from = to + piece.length
  }
  return found
}

const ownLength = (pattern: string) => pattern.replaceAll('{}', '').length

interface Texts {
  /** The texts with values, and their translations. */
  patterns: ReadonlyMap<string, string>
  translate: (text: string) => string
  filled: (pattern: string, values: readonly string[]) => string
}

/** A sentence is found by the text that wrote it, with any values; it stays in English unless all its parts are found. */
export function sentencesIn({ patterns, translate, filled }: Texts): (text: string) => string {
  const rows = [...patterns]
    // `{} more` is the end of `{}; and {} more`, too: the text with the most words of its own comes first.
    .sort(([one], [other]) => ownLength(other) - ownLength(one))
    .map(([text, own]) => [text.split('{}'), own] as const)
  /** Undefined if it has words without a translation. A value can be a sentence with values, and theirs too, but not without end. */
  function part(text: string, depth = 0): string | undefined {
    const known = translate(text)
    if (known !== text) return known
    for (const [pieces, own] of depth < 3 ? rows : []) {
      const parts = between(pieces, text)?.map((one) => part(one, depth + 1))
      if (parts?.every((one) => one !== undefined) === true) return filled(own, parts)
    }
    return /[a-z] [a-z]/.test(text) ? undefined : text
  }
  return (text) => part(text) ?? text
}
