/** Stores the result of each mutant at once, so that a run can continue where another ended. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(resultsFolder, 'mutants.rows')

/** `mutants` are all mutants of the current source. `sourceOf` identifies what the results of a mutant depend on; null takes over nothing. */
export function storedRows(mutants, sourceOf) {
  const rows = new Map()
  const places = placesOf(mutants)
  const sources = new Map(mutants.map((one) => [one.id, sourceOf(one)]))
  return {
    rows,
    /** Takes over the results on this source with these tests. With `isRetry` only noticed ones, also on other versions of other files. */
    load({ isRetry }) {
      const idAt = new Map([...places].map(([id, place]) => [place, id]))
      for (const { place, source: of, ...row } of read()) {
        const id = idAt.get(place)
        if (id === undefined) continue
        const source = sources.get(id)
        const counts = isRetry ? row.verdict === 'killed' : source !== null && of === source
        if (counts) rows.set(id, { ...row, id })
      }
    },
    clear: () => rmSync(file, { force: true }),
    store(row) {
      rows.set(row.id, row)
      mkdirSync(resultsFolder, { recursive: true })
      appendFileSync(file, `${JSON.stringify({ ...row, place: places.get(row.id), source: sources.get(row.id) })}\n`)
    },
  }
}

/** For each mutant's id, its position among the mutants of its file and a hash of all of them. */
function placesOf(mutants) {
  const files = [...new Set(mutants.map((one) => one.file))].map((name) => mutants.filter((one) => one.file === name))
  const places = files.flatMap((all) => {
    const text = JSON.stringify(all.map(({ id: _, ...what }) => what))
    const hash = createHash('sha256').update(text).digest('hex')
    return all.map(({ id }, nth) => [id, `${hash} ${nth}`])
  })
  return new Map(places)
}

const read = () =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          try {
            return [JSON.parse(line)]
          } catch {
            // A kill has cut this line.
            return []
          }
        })
    : []
