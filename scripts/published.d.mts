/** Types of `published.mjs` for the tests. */
export function bundledPackages(inputs: readonly string[]): { ref: string }[]
export function billOfMaterials(inputs: readonly string[]): { components: { 'bom-ref': string }[] }
