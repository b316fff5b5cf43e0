/** Probes show most of what the platform documents, and the page about them is up to date. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fidelityPage } from '../../scripts/docs/fidelity.js'
import { probesByRow } from '../../src/features/compare/probe/probes.js'
import { assumptionRows } from '../../src/protocol/platform/assumptions.js'
import { documentedSentences, type UnobservableReason } from '../../src/protocol/platform/documented-sentences.js'

const rows: readonly { id: string; unobservable?: UnobservableReason }[] = [...documentedSentences, ...assumptionRows]
const probes: ReadonlyMap<string, string> = probesByRow()

test('every documented sentence and every assumption has a probe, or the reason why none observes it', () => {
  expect(rows.filter(({ id, unobservable }) => unobservable === undefined && !probes.has(id))).toEqual([])
})

/** Of the reasons, those of a probe itself: one that does more could observe such a row. */
const ownReasons: readonly unknown[] = ['account', 'harm', 'recording'] satisfies UnobservableReason[]

test('probes show at least 85 of 100 documented sentences and assumptions that any probe could observe', () => {
  const observable = rows.filter(({ unobservable: reason }) => reason === undefined || ownReasons.includes(reason))
  const shown = observable.filter(({ id }) => probes.has(id))
  expect(shown.length / observable.length).toBeGreaterThanOrEqual(0.85)
})

test('docs/fidelity.md is up to date', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/fidelity.md'), 'utf8')).toBe(fidelityPage())
})
