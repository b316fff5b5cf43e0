/** What a handler of the faked API works with; it runs inside a unit of work. */

import type { EndpointName, RequestOf, ResponseOf } from '../../protocol/platform/endpoints.js'
import type { Caller } from '../auth/caller.js'
import type { Unit } from '../unit/unit.js'

export interface Call {
  unit: Unit
  caller: Caller & { credential: NonNullable<Caller['credential']> }
  /** The files of a multipart body. */
  files: readonly UploadedFile[]
}

/** What is known of a file: its content has passed by. */
export interface UploadedFile {
  name: string
  size: number
  sha256: string
  /** Its first bytes. */
  head: Uint8Array
}

/** Returns `data`; throws `ApiError`. The response schema is the promise, checked in tests. */
export type Handler<Name extends EndpointName> = (call: Call, request: RequestOf<Name>) => ResponseOf<Name>
