/** Types of `fetch.mjs`. */
export const nodeVersion: string
export function fetchPackage(name: string, version: string, ...companions: string[]): string
export function fetchNode(): string
