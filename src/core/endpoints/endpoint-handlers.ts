/** The handlers of all endpoints with a bearer token; a missing one is a type error. */
import type { EndpointName } from '../../protocol/platform/endpoints.js'
import * as account from './account.js'
import type { Handler } from './handler.js'
import * as infractions from './infractions.js'
import * as operations from './operations.js'

export const handlers: { [Name in Exclude<EndpointName, 'token'>]: Handler<Name> } = {
  ...operations,
  ...account,
  ...infractions,
}
