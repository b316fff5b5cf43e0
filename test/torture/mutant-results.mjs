/**
 * Stores what was found out about the mutants: one small file for each folder of the source, beside the other results. So a run
 * continues where another one ended, also in another clone, and tries first the test that noticed a mutant before.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { storedFolder, testedVersion } from './result.mjs'

const folder = join(storedFolder, 'mutants')
const fileOf = (part) => join(folder, `${part.replace('src/', '').replaceAll('/', '-')}.json`)

/** A part is a folder of the source. */
export const partOf = ({ file }) => dirname(file)

/** The stored result of a part; undefined if there is none. */
export const readPart = (part) =>
  existsSync(fileOf(part)) ? JSON.parse(readFileSync(fileOf(part), 'utf8')) : undefined

/**
 * `mutants` are all mutants of the current source. `digestOf(part)` identifies what the results of a part depend on: `source`, and
 * `tests` by their names; null takes over nothing. With other tests, what the simulation has found stays. `rows` has each mutant's
 * result by its id. `hintOf` returns what noticed a mutant last, on whichever source.
 */
export function storedRows(mutants, digestOf) {
  const rows = new Map()
  const names = namesOf(mutants)
  const parts = new Map()
  for (const one of mutants) {
    const part = partOf(one)
    if (!parts.has(part)) parts.set(part, { digest: digestOf(part), before: readPart(part), own: [], hints: new Map() })
    parts.get(part).own.push(one)
  }
  for (const state of parts.values())
    for (const noticed of [state.before?.earlier, state.before?.noticed])
      for (const [by, list] of Object.entries(noticed ?? {}))
        for (const name of list.split(' ')) state.hints.set(name, by)
  const hintOf = (one) => parts.get(partOf(one)).hints.get(names.get(one.id))
  const rowOf = (one, { digest, before, hints }, isRetry) => {
    const name = names.get(one.id)
    const isOfSource = digest !== null && before?.source === digest.source
    const isIn = (list) => isOfSource && ` ${list} `.includes(` ${name} `)
    const test = hints.get(name)
    const by = test?.split(':')[0]
    const isSimulated = test?.startsWith('simulation') === true
    const isEarlier =
      test !== undefined && !(isIn(before.noticed[test]) && (isSimulated || before.tests[by] === digest.tests[by]))
    if (test !== undefined && (isRetry || !isEarlier))
      return { ...one, verdict: 'killed', with: isSimulated ? 'simulation' : 'tests', test, isEarlier }
    if (isRetry) return undefined
    const isUnnoticed = isIn(before?.unnoticed)
    if (isUnnoticed && isDeepStrictEqual(before.tests, digest.tests))
      return { ...one, verdict: 'survived', with: 'tests' }
    return isUnnoticed || isIn(before?.simulated) ? { ...one, verdict: 'survived', with: 'simulation' } : undefined
  }
  return {
    rows,
    hintOf,
    /** Takes over the results on this source with these tests. With `isRetry` only noticed ones, also on other sources. */
    load({ isRetry }) {
      for (const state of parts.values())
        for (const one of state.own) {
          const row = rowOf(one, state, isRetry)
          if (row !== undefined) rows.set(one.id, row)
        }
    },
    store(row) {
      rows.set(row.id, row)
      writePart(partOf(row), parts.get(partOf(row)), rows, names)
    },
  }
}

function writePart(part, { digest, own, hints }, rows, names) {
  const found = own.flatMap(({ id }) => rows.get(id) ?? []).filter(({ isEarlier }) => isEarlier !== true)
  const listed = (wanted) => found.filter(wanted).map(({ id }) => names.get(id))
  const isUnnoticed = ({ verdict }) => verdict !== 'killed'
  const tried = new Set(listed(() => true))
  const noticed = found.filter((row) => !isUnnoticed(row)).map(({ id, test }) => [names.get(id), test])
  const text = JSON.stringify(
    {
      part,
      ...digest,
      ...testedVersion,
      at: new Date().toISOString(),
      unnoticed: listed((row) => isUnnoticed(row) && row.with === 'tests').join(' '),
      simulated: listed((row) => isUnnoticed(row) && row.with === 'simulation').join(' '),
      noticed: byTest(noticed),
      earlier: byTest([...hints].filter(([name]) => !tried.has(name))),
    },
    null,
    1,
  )
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${fileOf(part)}.new`, `${text}\n`)
  renameSync(`${fileOf(part)}.new`, fileOf(part))
}

/** `{test: 'name name …'}` */
function byTest(pairs) {
  const found = {}
  for (const [name, test] of pairs) found[test] = found[test] === undefined ? name : `${found[test]} ${name}`
  return found
}

/** For each mutant's id a short name, which stays when other lines change: a hash of its change and of how many equal ones of its file come before. */
function namesOf(mutants) {
  const counts = new Map()
  return new Map(
    mutants.map(({ id, file, kind, was }) => {
      const text = `${file} ${kind} ${was}`
      counts.set(text, (counts.get(text) ?? 0) + 1)
      const hash = createHash('sha256').update(`${text} ${counts.get(text)}`)
      return [id, hash.digest('base64url').slice(0, 6)]
    }),
  )
}
