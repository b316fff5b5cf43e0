/** What became of each mutant, kept as it is found, so that a run can go on where another of the same source ended. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultsFolder } from './result.mjs'

const file = join(resultsFolder, 'mutants.rows')

/** `mutants` are all there are: what is kept of others counts for nothing. */
export function keptRows(mutants) {
  const of = createHash('sha256').update(JSON.stringify(mutants)).digest('hex')
  const rows = new Map()
  return {
    rows,
    /** Takes over what another run has found. */
    takeOver() {
      const kept = read()
      if (kept?.of !== of) throw new Error('there is no run of this very source to go on with')
      for (const row of kept.rows) rows.set(row.id, row)
    },
    keep(row) {
      rows.set(row.id, row)
      mkdirSync(resultsFolder, { recursive: true })
      writeFileSync(file, JSON.stringify({ of, rows: [...rows.values()] }))
    },
  }
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
