/** Mistakes in a scenario file: all are found, the first ones are reported. */

export type Path = readonly (string | number)[]

export interface Mistake {
  path: Path
  /** The mistake is in the key, not in its value. */
  key?: string
  /** Called only for reported mistakes: a file can have thousands. */
  say: () => string
}

/** Lines and columns count from 1; null if the position is unknown. */
export interface LocatedMistake {
  line: number | null
  column: number | null
  path: string
  message: string
}

/** Upper bound on the mistakes reported for a file. */
const maxReported = 20

export interface ReportedMistakes {
  mistakes: LocatedMistake[]
  /** The number of mistakes not reported. */
  more: number
}

interface Place {
  line: number
  column: number
}

/** Returns the first mistakes in the order of the text, without duplicates. */
export function reportMistakes<M extends Mistake>(
  mistakes: readonly M[],
  placeOf: (mistake: M) => Place,
): ReportedMistakes {
  const located = mistakes.map((mistake) => ({ mistake, place: placeOf(mistake) }))
  located.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  const byText = new Map<string, LocatedMistake>()
  let count = 0
  for (const { mistake, place } of located) {
    if (byText.size === maxReported) break
    count++
    const one = { ...place, path: pathText(mistake.path), message: mistake.say() }
    byText.set(`${one.path}: ${one.message}`, one)
  }
  return { mistakes: [...byText.values()], more: located.length - count }
}

/** Formats a path as `steps[1].cashout.fail.error_code`. */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? shorten(key) : `${text}.${shorten(key)}`,
    '',
  )
}

/** Shortens a part of the user's file for a message. */
export const shorten = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 79)}…`)
