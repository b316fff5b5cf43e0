/** A fault that the simulation must find: `put` replaces `find` in the file. */
export const plants: readonly { name: string; file: string; find: string; put: string }[]
