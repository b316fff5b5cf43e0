/** A call of the platform API as the core receives it. */
import type { EndpointName } from '../../protocol/platform/endpoints.js'
import type { ApiError } from '../../protocol/platform/errors.js'
import type { SignatureHeaders } from '../auth/authenticate.js'
import type { UploadedFile } from '../endpoints/handler.js'
import type { Fields } from '../endpoints/validate.js'

/** The parsed body or query of a call. */
export interface Input {
  readonly fields: Fields
  readonly files: readonly UploadedFile[]
}

/** Already read and parsed, and never changed. */
export interface Call {
  readonly name: EndpointName
  readonly requestId: string
  /** Address of the client. */
  readonly ip: string
  readonly authorization: string | undefined
  readonly signature: SignatureHeaders
  /** The scenario that applies to this call only. */
  readonly scenario: string | null
  /** The code of the error that answers this call only. */
  readonly requestedError: string | null
  /** Whether the sandbox itself makes the call. Chaos does not affect such calls. */
  readonly isReplay: boolean
  /** The exact bytes of the body, which the signature covers. */
  readonly bytes: Uint8Array
  /** Why the body was not read completely: 413, 503, or 400 if it was cut off. */
  readonly bodyError: ApiError | null
  /** The parsed body or query, or its error. The error is thrown later, in the documented order of checks. */
  readonly input: Input | ApiError
}
