/**
 * How far the sandbox is known to agree with the platform: figures by tier, from the documented sentences, the
 * assumptions, and the index of recordings. `npm run recordings:add` writes the index.
 */
import * as z from 'zod'
import index from '../../../recordings/index.json' with { type: 'json' }
import { tableOf } from '../../base/keys.js'
import { assumptionRows, tierOfAssumption } from './assumptions.js'
import { documentedSentences, type FidelityTier, fidelityTiers } from './documented-sentences.js'
import { emulatedInterface } from './emulated-interface.js'

const rowIds = () => z.array(z.string()).describe('Ids of documented sentences and keys of assumptions')

/** Of `recordings/index.json`. */
export const recordingsIndex = () =>
  z.strictObject({
    $schema: z.string().optional(),
    recordings: z.array(
      z.strictObject({
        name: z.string().describe('Names the recording; its file is NAME.har'),
        date: z.iso.date().describe('Day of its newest exchange'),
        documentation: z.strictObject({ version: z.string(), date: z.iso.date() }),
        tiers: z.array(z.enum(fidelityTiers)).describe('Tiers of what it observes'),
        visible_to: z
          .enum(['everyone', 'maintainers'])
          .describe('everyone: the file is in this folder; maintainers: only its results are'),
        exchanges: z.int(),
        webhooks: z.int(),
        agrees: rowIds(),
        differs: rowIds(),
      }),
    ),
  })
/** The published schema of the index. */
export const recordingsJsonSchema = () => z.toJSONSchema(recordingsIndex())

export type IndexedRecording = z.output<ReturnType<typeof recordingsIndex>>['recordings'][number]

/** The rows of which one is observed, or not: documented sentences and assumptions. */
export const fidelityRows: readonly { id: string; tier: FidelityTier }[] = [
  ...documentedSentences,
  ...assumptionRows.map((row) => ({ id: row.id, tier: tierOfAssumption(row) })),
]

/** What the newest recording that observes a row shows. */
interface Observation {
  differs: boolean
  recording: string
  date: string
}

type AssumptionState = { state: 'assumed' } | { state: 'confirmed' | 'refuted'; recording?: string; date?: string }

/** ` (confirmed on 2026-11-21 by NAME)`; empty for what is only assumed. */
export const stateText = (found: AssumptionState): string =>
  found.state === 'assumed' ? '' : ` (${found.state} on ${found.date} by ${found.recording})`

export interface Fidelity {
  coverage: Record<FidelityTier, { observed: number; of: number }>
  /** `unknown` without a recording. */
  divergence: Record<FidelityTier, { differs: number; of: number }> | 'unknown'
  /** The day that each figure describes; null without a recording. */
  dates: { coverage: string; divergence: string | null }
  observed: ReadonlySet<string>
  stateOf(assumption: string): AssumptionState
}

const shippedRecordings = () => recordingsIndex().parse(index).recordings

/** `probed` are the rows that probes observe. */
export function measureFidelity(
  probed: Iterable<string>,
  recordings: readonly IndexedRecording[] = shippedRecordings(),
): Fidelity {
  const byDate = recordings.toSorted((one, other) => (one.date < other.date ? -1 : 1))
  const seen = new Map<string, Observation>()
  for (const { name, date, agrees, differs } of byDate) {
    for (const id of agrees) seen.set(id, { differs: false, recording: name, date })
    for (const id of differs) seen.set(id, { differs: true, recording: name, date })
  }
  const observed = new Set([...probed, ...seen.keys()])
  const newest = byDate.at(-1)?.date
  const count = (tier: FidelityTier, fits: (id: string) => boolean) =>
    fidelityRows.filter((row) => row.tier === tier && fits(row.id)).length
  return {
    coverage: tableOf(fidelityTiers, (tier) => ({
      observed: count(tier, (id) => observed.has(id)),
      of: count(tier, () => true),
    })),
    divergence:
      newest === undefined
        ? 'unknown'
        : tableOf(fidelityTiers, (tier) => ({
            differs: count(tier, (id) => seen.get(id)?.differs === true),
            of: count(tier, (id) => seen.has(id)),
          })),
    dates: { coverage: newest ?? emulatedInterface.date, divergence: newest ?? null },
    observed,
    stateOf(assumption) {
      const found = seen.get(assumption)
      if (found === undefined) return { state: 'assumed' }
      const { differs, recording, date } = found
      return { state: differs ? 'refuted' : 'confirmed', recording, date }
    },
  }
}
