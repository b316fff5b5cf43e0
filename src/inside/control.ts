/** The tables of our own API, and the settings: rows of routes, fields, chaos, scenario files. */
export { statementTimeZone } from '../protocol/control/accounts.js'
export { controlRoutes } from '../protocol/control/index.js'
export {
  type ControlRow,
  currency,
  durationMs,
  filterText,
  model,
  route,
  type ToolOfRoute,
} from '../protocol/control/route.js'
export type { On, Scenario, Step } from '../protocol/scenario/file.js'
export { type CallName, type Creatable, routeOf } from '../protocol/scenario/values.js'
export { type Chaos, type ChaosFault, chaosFaultNames, faultIdPattern } from '../protocol/settings/chaos.js'
export {
  type Config,
  configOf,
  defaultConfig,
  type Observed,
  type PlatformSetting,
  platformSettings,
} from '../protocol/settings/platform.js'
export { defaultPort, defaultUrl, variablePrefix } from '../protocol/settings/process.js'
export { errorFormOf } from '../protocol/settings/wire-format.js'
