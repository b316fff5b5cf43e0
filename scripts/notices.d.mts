/** Types of `notices.mjs` for the tests. */
export const noticesFile: string
