/** The source of a row: the interface's own words, or our choice. */
export type Basis = 'spec' | 'assumed'
