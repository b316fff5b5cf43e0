/** What a call of the faked API does, whoever makes it: its fields held against the endpoint's schema, then the endpoint's handler. */
import { type EndpointName, endpoints } from '../../protocol/platform/endpoints.js'
import { ApiError } from '../../protocol/platform/errors.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import type { ObjectRef } from '../../store/run-state.js'
import type { Caller } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'
import { handlers } from './endpoint-handlers.js'
import type { Call, UploadedFile } from './handler.js'
import { validate } from './validate.js'

export type Fields = Record<string, unknown>
/** Every endpoint but that of the tokens, which nobody needs a token for. */
export type BearerEndpoint = Exclude<EndpointName, 'token'>

/** Checks `fields`, which are as JSON brought them; what it returns does the work and answers `data`. Both throw `ApiError`. */
export function prepareCall(
  unit: Unit,
  { account, credential }: Caller,
  name: BearerEndpoint,
  fields: Fields,
  files: readonly UploadedFile[] = [],
): () => Fields {
  if (credential === null)
    throw new ApiError(
      'CREDENTIAL_INACTIVE',
      { account: account.username },
      { message: `The account ${account.username} has no active credential.` },
    )
  // Each handler takes what the schema of its own row makes; that they belong together is what the table of handlers says.
  const handler = handlers[name] as unknown as (call: Call, request: Fields) => Fields
  const request = validate(endpoints[name].request, fields)
  return () => handler({ unit, caller: { account, credential }, files }, request)
}

const idFields = {
  cashin: 'transaction_id',
  cashout: 'transaction_id',
  transfer: 'transaction_id',
  wallet: 'wallet_id',
  conversion: 'conversion_id',
} as const

/** The object that an answer tells of. */
export const refInAnswer = (kind: Creatable, data: Fields): ObjectRef => ({ kind, id: String(data[idFields[kind]]) })
