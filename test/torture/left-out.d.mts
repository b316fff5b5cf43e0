/** Test files that `npm test` runs only if the command line names them. */
export const leftOut: string[]
