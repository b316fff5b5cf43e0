/** The typed client of both APIs. */
export { apiClientFor } from '../client/api.js'
export { type ControlClient, connectControl, type RouteInput } from '../client/control.js'
export { SandboxError, UnreachableError, UsageError } from '../client/errors.js'
export { signRequest } from '../client/signatures.js'
export { basic } from '../client/token-session.js'
// Features generate types here, so their names must not be listed.
export type * from '../client/types/control.js'
export type { PlatformOptions } from '../client/types/settings.js'
