/** Types of the platform API's handlers, which run inside a unit of work. */

import type { EndpointName, RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import type { Caller } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'

export interface Call {
  unit: Unit
  caller: Caller & { credential: NonNullable<Caller['credential']> }
  /** The files of a multipart body. */
  files: readonly UploadedFile[]
}

/** What is known about a file; its content is not stored. */
export interface UploadedFile {
  name: string
  size: number
  sha256: string
  /** Its first bytes. */
  head: Uint8Array
}

/** Returns `data` or throws `ApiError`. Tests check `data` against the response schema. */
export type Handler<Name extends EndpointName> = (call: Call, request: RequestOf<Name>) => ResponseOf<Name>
