/** What became of each mutant, kept as it is found, so that a run can go on where another ended. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(resultsFolder, 'mutants.rows')

/** `mutants` are all there are: what is kept of a file that has changed meanwhile counts for nothing. */
export function keptRows(mutants) {
  const rows = new Map()
  const places = placesOf(mutants)
  return {
    rows,
    /** Takes over what another run has found. */
    takeOver() {
      const idAt = new Map([...places].map(([id, place]) => [place, id]))
      for (const { place, ...row } of read()) {
        const id = idAt.get(place)
        if (id !== undefined) rows.set(id, { ...row, id })
      }
      if (rows.size === 0) throw new Error('there is no run of this source to go on with')
    },
    keep(row) {
      rows.set(row.id, row)
      mkdirSync(resultsFolder, { recursive: true })
      writeFileSync(file, JSON.stringify([...rows.values()].map((one) => ({ ...one, place: places.get(one.id) }))))
    },
  }
}

/** By number, where each stands among all of its file, and what they are together. */
function placesOf(mutants) {
  const files = [...new Set(mutants.map((one) => one.file))].map((name) => mutants.filter((one) => one.file === name))
  const placed = files.flatMap((all) => {
    const text = JSON.stringify(all.map(({ id: _, ...what }) => what))
    const of = createHash('sha256').update(text).digest('hex')
    return all.map(({ id }, nth) => [id, `${of} ${nth}`])
  })
  return new Map(placed)
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}
