/** What is wrong with a scenario file: found all at once, told only as far as somebody will read. */

export type Path = readonly (string | number)[]

export interface Mistake {
  path: Path
  /** The key itself is wrong, not its value. */
  key?: string
  /** Worked out for those that are told: a file can hold thousands. */
  say: () => string
}

/** Lines and columns count from 1; null where the place is not known. */
export interface LocatedMistake {
  line: number | null
  column: number | null
  path: string
  message: string
}

/** How many of its mistakes a file is told. */
const maxTold = 20

export interface Told {
  mistakes: LocatedMistake[]
  /** How many there are beyond these. */
  more: number
}

interface Place {
  line: number
  column: number
}

/** The first ones in the order of the text, each once. */
export function tell<M extends Mistake>(mistakes: readonly M[], placeOf: (mistake: M) => Place): Told {
  const located = mistakes.map((mistake) => ({ mistake, place: placeOf(mistake) }))
  located.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  const told = new Map<string, LocatedMistake>()
  let seen = 0
  for (const { mistake, place } of located) {
    if (told.size === maxTold) break
    seen++
    const one = { ...place, path: pathText(mistake.path), message: mistake.say() }
    told.set(`${one.path}: ${one.message}`, one)
  }
  return { mistakes: [...told.values()], more: located.length - seen }
}

/** `steps[1].cashout.fail.error_code` */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? brief(key) : `${text}.${brief(key)}`),
    '',
  )
}

/** A piece of somebody's file inside a message. */
export const brief = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 79)}…`)
