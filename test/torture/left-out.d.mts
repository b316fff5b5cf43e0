/** Test files that `npm test` runs only if the command line names them. */
export const leftOut: string[]
/** Those of them that a selection leaves out, too. */
export const trialFiles: string[]
