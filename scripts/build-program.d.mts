/** Types of `build-program.mjs` for the tests. */
export function programInputs(): Promise<string[]>
