/** Suggests the name that was probably meant. */

/** Returns `; did you mean start?`, or an empty string. */
export const didYouMean = (guess: string | null): string => (guess === null ? '' : `; did you mean ${guess}?`)

/** Longer than any name. It bounds the work. */
const mostCharacters = 64

/** Short words are one edit away from many others, so a word of up to four letters allows one edit, a longer one two. */
const editsAllowed = (text: string, candidate: string) => (Math.min(text.length, candidate.length) <= 4 ? 1 : 2)

/** The nearest candidate that a typing error explains, or null. Two swapped letters count as one edit. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase().slice(0, mostCharacters), candidate.toLowerCase())
    if (distance > editsAllowed(text, candidate) || distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** The path that shares the most segments with `path`, misspelled ones included; among equals the one with the fewest edits. */
export function nearestPath(path: string, candidates: readonly string[]): string | null {
  const text = path.slice(0, mostCharacters)
  const shared = (candidate: string) => {
    const names = candidate.split('/')
    return text.split('/').filter((segment) => segment !== '' && nearest(segment, names) !== null).length
  }
  const ranked = candidates
    .map((candidate) => ({ candidate, shared: shared(candidate), edits: editDistance(text, candidate) }))
    .sort((a, b) => b.shared - a.shared || a.edits - b.edits)
  return ranked[0]?.candidate ?? null
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchanged ? (beforePrevious[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(substituted, exchanged, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
