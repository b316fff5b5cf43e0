/** What commands are made of: rows, connections, errors with exit codes, the terminal. */
export type { CommandUsages, Composition } from '../cli/command.js'
export {
  accountNamed,
  addConnectionFlags,
  addJsonFlag,
  adminTokenOf,
  type ConnectionFlags,
  connect,
  credentialOf,
  httpSend,
  portNumber,
  print,
  repeatableFlag,
  type Sandbox,
} from '../cli/command.js'
export { exitCodes, Failure, NoSandbox, UsageError } from '../cli/errors.js'
export { untilInterrupted } from '../cli/lists.js'
export { resolveFlag, resolveSettings } from '../cli/settings/resolve.js'
export { prepareFolder, stateFolder } from '../cli/state-folder.js'
export { plainLines, startProgress, terminalProgress, withProgress } from '../cli/terminal/progress.js'
export { asUsage, escaped, type JunitCase, junit, markdownCell, reportWriter } from '../cli/terminal/report-writer.js'
export { bold, dim, paint, replaceControls } from '../cli/terminal/style.js'
