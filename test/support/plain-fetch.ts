/** `fetch` as Node has it, before the tests look at what it answers: loaded once, while the check of answers is put in its place for every file. */
export const plainFetch = globalThis.fetch
