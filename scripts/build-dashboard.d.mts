/** Types of `build-dashboard.mjs` for the tests. */
export function buildPages(target: string): Promise<string[]>
