/** How many of everything: few here, so that all tests together take two minutes; the full figures where a run may take its time. */

/** Set by the long trials: the same tests, at the figures that are promised. */
const full = process.env.TEST_FIGURES === 'full'

export const figure = (few: number, many: number): number => (full ? many : few)
