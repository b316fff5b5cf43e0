/** Compares runs of the probes with the recordings: what a second run shows too is drift, the rest is flake. */
import { readFileSync } from 'node:fs'
import { assumptionRows } from '../../src/protocol/platform/assumptions.js'
import { documentedSentences } from '../../src/protocol/platform/documented-sentences.js'
import { measureFidelity } from '../../src/protocol/platform/fidelity.js'
import { code, markdownTable } from '../docs/markdown.js'
import { observe } from './observe.js'

export interface Drift {
  /** `unconfirmed`: there was no second run. */
  label: 'drift' | 'flake' | 'unconfirmed' | null
  markdown: string
}

export async function driftOf(files: readonly string[]): Promise<Drift> {
  const [first = new Map<string, boolean>(), second] = await Promise.all(files.map(changesIn))
  const labelOf = (id: string) => {
    if (second === undefined) return 'unconfirmed'
    return second.get(id) === first.get(id) ? 'drift' : 'flake'
  }
  const rows = [...first].map(([id, differs]) => [
    code(id),
    textOf(id),
    differs ? 'agreed, or was not recorded; differs now' : 'differed; agrees now',
    labelOf(id),
  ])
  const labels = rows.map(([, , , label]) => label)
  const [label = null] = (['drift', 'flake', 'unconfirmed'] as const).filter((one) => labels.includes(one))
  if (label === null) return { label, markdown: 'The platform behaves as recorded.\n' }
  return { label, markdown: `${markdownTable(['Row', 'What it says', 'Change', 'Label'], rows)}\n` }
}

/** The rows whose result is another one than that of the recordings, with whether they differ from the sandbox. */
async function changesIn(file: string): Promise<Map<string, boolean>> {
  const { stateOf } = measureFidelity([])
  const { agrees, differs } = await observe(readFileSync(file, 'utf8'))
  const isRefuted = (id: string) => stateOf(id).state === 'refuted'
  return new Map([
    ...differs.flatMap((id): [string, boolean][] => (isRefuted(id) ? [] : [[id, true]])),
    ...agrees.flatMap((id): [string, boolean][] => (isRefuted(id) ? [[id, false]] : [])),
  ])
}

const textOf = (id: string) =>
  documentedSentences.find((row) => row.id === id)?.text ?? assumptionRows.find((row) => row.id === id)?.open ?? ''
