/** The figures of `GET /fidelity` in words, for command line, dashboard and documentation. */

import type { Fidelity } from './figures.js'

type Figures = Pick<Fidelity, 'coverage' | 'divergence' | 'dates'>

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0)
const outOf = (rows: readonly { count: number; of: number }[]) =>
  `${sum(rows.map(({ count }) => count))} of ${sum(rows.map(({ of }) => of))}`

export const coverageText = ({ coverage }: Pick<Figures, 'coverage'>): string =>
  outOf(Object.values(coverage).map(({ observed, of }) => ({ count: observed, of })))

/** `unknown`, or how many observed rows differ. */
export const divergenceText = ({ divergence }: Pick<Figures, 'divergence'>): string =>
  divergence === 'unknown'
    ? divergence
    : `${outOf(Object.values(divergence).map(({ differs, of }) => ({ count: differs, of })))} differ`

export function fidelityText(figures: Figures): string {
  const { coverage, divergence } = figures.dates
  const by = divergence === null ? '; no recording of the platform exists' : ` (recordings up to ${divergence})`
  return `divergence: ${divergenceText(figures)}${by}. Coverage of the probes: ${coverageText(figures)} documented sentences and assumptions, also those that no probe can observe (${coverage})`
}
