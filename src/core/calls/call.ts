/** A call of the platform API as the core sees it: read and parsed beforehand, and never changed. */
import type { EndpointName } from '../../protocol/platform/endpoints.js'
import type { ApiError } from '../../protocol/platform/errors.js'
import type { SignatureHeaders } from '../auth/authenticate.js'
import type { Credential } from '../auth/caller.js'
import type { UploadedFile } from '../endpoints/handler.js'
import type { Fields } from '../endpoints/perform.js'
import type { Staged } from './intercept.js'

export interface Input {
  readonly fields: Fields
  readonly files: readonly UploadedFile[]
}

export interface Call {
  readonly name: EndpointName
  readonly requestId: string
  /** Address of the client. */
  readonly ip: string
  readonly authorization: string | undefined
  readonly signature: SignatureHeaders
  /** The scenario that this call alone asks for. */
  readonly scenario: string | null
  /** The exact body; the signature covers it. */
  readonly bytes: Uint8Array
  /** Why the body was rejected unread (413, 503, or 400 if it broke off). */
  readonly fault: ApiError | null
  /** What the body or the query says, or what is wrong with it: reported in its place in the order of checks. */
  readonly input: Input | ApiError
}

/** What is known about a call once it was handled, for the request log and for what still has to happen to its answer. */
export interface Trace {
  caller: { account: string; credential: string } | null
  /** The client that a token was issued to. */
  tokenFor: string | null
  /** Whose signature was checked, and whether it was right. */
  signer: { credential: Credential; verified: boolean } | null
  /** What a scenario did to the call. */
  staged: Staged | null
}

export const newTrace = (): Trace => ({ caller: null, tokenFor: null, signer: null, staged: null })
