/** The typed client of both APIs. */
export { apiClientFor } from '../client/api.js'
export { type ControlClient, connectControl, type RouteInput } from '../client/control.js'
export { SandboxError, UnreachableError, UsageError } from '../client/errors.js'
export type {
  BooksReport,
  Certificate,
  ClientCertificate,
  Comparison,
  ControlRoutes,
  LoadReport,
  StatementEntry,
} from '../client/types/control.js'
export type { PlatformOptions } from '../client/types/settings.js'
