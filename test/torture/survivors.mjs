/** Changes that nobody can notice, or that the simulation leaves to others, and why: `{file, kind?, was, why}`, `was` a part of what was changed. */
export const survivors = []
