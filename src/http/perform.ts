/** Lets a scenario make objects as a caller of the API would: same checks, same handler, without the network. */
import type { Perform } from '../core/scenarios/perform-port.js'
import { endpoints } from '../protocol/api/endpoints.js'
import { ApiError } from '../protocol/api/errors.js'
import type { Call } from './handlers/context.js'
import { handlers } from './handlers/index.js'
import { validate } from './validate.js'

type AnyHandler = (call: Call, request: Record<string, unknown>) => Record<string, unknown>

/** 403 CREDENTIAL_INACTIVE where the account has no active credential; else whatever the endpoint answers. */
export const perform: Perform = (unit, { account, credential }, operation, body) => {
  if (credential === null)
    throw new ApiError(
      'CREDENTIAL_INACTIVE',
      { account: account.username },
      { message: `The account ${account.username} has no active credential.` },
    )
  const handler = handlers[operation] as unknown as AnyHandler
  const call: Call = { unit, caller: { account, credential }, requestId: '', files: [] }
  return handler(call, validate(endpoints[operation].request, body))
}
