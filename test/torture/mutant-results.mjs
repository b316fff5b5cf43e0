/** Stores the result of each mutant at once, so that a run can continue where another ended. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(resultsFolder, 'mutants.rows')

/** `mutants` are all mutants of the current source. Results of a source file that has changed are ignored. */
export function storedRows(mutants) {
  const rows = new Map()
  const places = placesOf(mutants)
  return {
    rows,
    /** Loads the results of the last run. */
    load() {
      const idAt = new Map([...places].map(([id, place]) => [place, id]))
      for (const { place, ...row } of read()) {
        const id = idAt.get(place)
        if (id !== undefined) rows.set(id, { ...row, id })
      }
      if (rows.size === 0) throw new Error('no earlier run of this source is stored; run without --go-on')
    },
    store(row) {
      rows.set(row.id, row)
      mkdirSync(resultsFolder, { recursive: true })
      writeFileSync(file, JSON.stringify([...rows.values()].map((one) => ({ ...one, place: places.get(one.id) }))))
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

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}
