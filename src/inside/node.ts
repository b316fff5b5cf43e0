/** A process: files that users name, sandboxes, environment, signals. */

export { variablesOf } from '../protocol/control/outputs.js'
export { JobPipe, jobRunner } from '../runtime/node/background/run.js'
export { readInputFile, readStandardInput, reasonOf, UnusableFile } from '../runtime/node/files/input.js'
export {
  checkOutput,
  checkOutputs,
  isStream,
  type Output,
  type OutputKindName,
  writeOutput,
} from '../runtime/node/files/output.js'
export { exitCodeOf, watchProcessEnd } from '../runtime/node/process-end.js'
export { program } from '../runtime/node/program.js'
export { openSandbox, type RunningSandbox } from '../runtime/node/sandbox.js'
export { originOf } from '../runtime/node/server/http-guard.js'
export { chooseDriver, createSqlite } from '../runtime/node/sqlite/sqlite.js'
export { scratchWorkspaces } from '../runtime/node/workspaces.js'
export { isLoopback } from '../runtime/shared/address-guard.js'
