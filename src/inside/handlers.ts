/** What handlers of routes need: the host, bodies, responses, calls inside the process. */
export type { Fetch } from '../http/app.js'
export { credentialFields } from '../http/control/accounts.js'
export { headerOf, isOwnEntry } from '../http/control/requests.js'
export { type CallContext, type ControlCall, type Handlers, routeSet, validateInput } from '../http/control/routes.js'
export type { Ask, Host, OpenScratch, RouteSet, RunJob } from '../http/host.js'
export {
  bodyText,
  createBodyBudget,
  errorResponse,
  isLargeBody,
  jsonObject,
  loopbackHost,
  pathInWorkspace,
  readChunks,
  receiveBody,
  requireContentType,
  responseText,
  toResponse,
  withRequestId,
} from '../http/messages.js'
export { handleCall, unknownPathError } from '../http/platform/handle.js'
export { credentialHeaders } from '../http/platform/replay.js'
export { invalid } from '../protocol/platform/errors.js'
