/** Types of build-workers.mjs for the tests. */
export const workerFile: string
export function buildWorkers(options?: { entry?: string; outfile?: string }): Promise<void>
