/** Where a row comes from: the interface's own words, or our choice where it is silent. */
export type Basis = 'spec' | 'assumed'
