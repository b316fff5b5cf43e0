/** What functions of the library need: a sandbox, and its options. */
export { requireKnown } from '../testing/options.js'
export type { Sandbox } from '../testing/start.js'
export { connectSandbox, startSandbox } from '../testing/start.js'
