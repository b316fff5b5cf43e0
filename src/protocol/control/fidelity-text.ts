/** The figures of `GET /fidelity` in words, for command line, dashboard and documentation. */

interface Figures {
  coverage: Readonly<Record<string, { observed: number; of: number }>>
  divergence: Readonly<Record<string, { differs: number; of: number }>> | 'unknown'
}

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

export const fidelityText = (figures: Figures): string =>
  `divergence: ${divergenceText(figures)}${figures.divergence === 'unknown' ? '; no recording of the platform exists' : ''}. Coverage of the probes: ${coverageText(figures)}`
