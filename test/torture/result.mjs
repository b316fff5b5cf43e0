/** What each section has found, kept as JSON for the report: `{section, at, seed, figures, verdict}`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const resultsFolder = join(process.cwd(), 'node_modules/.torture/results')

/** `figures` is what it measured, as names and values (a list of rows is kept as it is); `verdict` is `held` or says what did not. */
export function keepResult({ section, seed = null, figures, verdict }) {
  mkdirSync(resultsFolder, { recursive: true })
  const row = { section, at: new Date().toISOString(), node: process.version, seed, figures, verdict }
  writeFileSync(join(resultsFolder, `${section}.json`), `${JSON.stringify(row, null, 2)}\n`)
  return verdict === 'held'
}
