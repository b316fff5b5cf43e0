/** Node's own `fetch`, saved before the tests replace it by one that checks responses. */
export const plainFetch = globalThis.fetch
