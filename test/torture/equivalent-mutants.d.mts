/** A mutant that nothing can notice. */
export const equivalentMutants: readonly { file: string; kind?: string; was: string; at?: string; why: string }[]
