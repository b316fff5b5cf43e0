/** The figures of a run for each tier: what it observed of all that probes can observe, and what of that differs. */
import { type FidelityTier, fidelityRows, fidelityTiers } from '../../../inside/platform.js'
import { tableOf } from '../../../inside/values.js'
import type { DetailedComparison } from '../compare.js'
import type { EntryFinding, Findings } from '../judge/findings.js'
import { type ProbeId, probeOf, probesByRow } from './probes.js'

export interface ProbeFigures {
  coverage: Record<string, { observed: number; of: number }>
  divergence: Record<string, { differs: number; of: number }>
}

/** Counts as the page of fidelity does: the rows that a probe shows. A row that differs counts even if no probe shows it. */
export function figuresOf(observed: ReadonlySet<string>, differing: ReadonlySet<string>): ProbeFigures {
  const probed: ReadonlySet<string> = new Set(probesByRow().keys())
  const count = (tier: FidelityTier, has: (id: string) => boolean) =>
    fidelityRows.filter((row) => row.tier === tier && has(row.id)).length
  return {
    coverage: tableOf(fidelityTiers, (tier) => ({
      observed: count(tier, (id) => probed.has(id) && (observed.has(id) || differing.has(id))),
      of: count(tier, (id) => probed.has(id)),
    })),
    divergence: tableOf(fidelityTiers, (tier) => ({
      differs: count(tier, (id) => differing.has(id)),
      of: count(tier, (id) => observed.has(id) || differing.has(id)),
    })),
  }
}

/** The assumption that a finding is about, and the documented sentence. */
export function rowsOf({ verdict, assumption, sentence, path }: EntryFinding): string[] {
  if (verdict === 'unknown_field') return path === 'event' ? [] : ['undocumented_fields']
  return verdict === 'unexplained' ? [] : [assumption, sentence].filter((row) => row !== null)
}

/** What differs in the entries of a probe. A webhook that is missing shows after an entry of any probe. */
export const foundIn = (
  { byEntry }: Pick<Findings, 'byEntry'>,
  probeAt: (entry: number) => string,
  id: ProbeId,
  events: readonly string[] = probeOf(id).webhooks?.events ?? [],
): EntryFinding[] =>
  [...byEntry].flatMap(([entry, all]) =>
    all.filter(({ path, call }) => probeAt(entry) === id || (path === 'event' && events.includes(call))),
  )

/** After a difference of these, the rest is not compared. */
const endings: readonly string[] = ['status', 'error.code', 'event', 'destination']

interface ShownRows {
  /** Rows that agree, in a place where they could have differed. */
  observed: ReadonlySet<string>
  differing: ReadonlySet<string>
  /** Rows that are not observed because something else differs, with what that is. */
  hidden: ReadonlyMap<string, string>
}

/** `probes`: those that are complete; the others show nothing that counts as agreeing. null: the entries are of no probe. */
export function rowsIn(
  { report, first, last }: DetailedComparison,
  probeAt: (entry: number) => string,
  probes: readonly ProbeId[] | null,
): ShownRows {
  const named = report.findings.filter(({ setting, value }) => setting !== null && value !== null)
  const isNamed = (one: Pick<EntryFinding, 'assumption' | 'setting'>) =>
    named.some(
      ({ assumption, setting }) => assumption === one.assumption && (assumption !== null || setting === one.setting),
    )
  // With the setting that a finding names, what differed because of it agrees.
  const own = [...first.byEntry.values()].flat().filter(isNamed)
  const differing = new Set([
    ...named.flatMap(({ assumption }) => assumption ?? []),
    ...[...last.byEntry.values()].flat().concat(own).flatMap(rowsOf),
  ])
  const isOfProbe = (row: string) => probes?.some((id) => probeOf(id).shows.some((one) => one === row)) !== false
  const observed = new Set([...last.shown].filter((row) => isOfProbe(row) && !differing.has(row)))
  const hidden = new Map<string, string>()
  for (const id of probes ?? []) {
    const found = [...foundIn(last, probeAt, id), ...foundIn(first, probeAt, id)]
    const cause = found.find(({ path }) => endings.includes(path)) ?? found[0]
    if (cause === undefined) continue
    for (const row of probeOf(id).shows)
      if (!observed.has(row) && !differing.has(row) && !hidden.has(row))
        hidden.set(row, cause.assumption ?? `${cause.call} ${cause.path}`)
  }
  return { observed, differing, hidden }
}
