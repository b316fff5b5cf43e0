/** What a handler of the faked API works with; it runs inside a unit of work. */
import type { Caller } from '../../core/access/caller.js'
import type { Unit } from '../../core/workspace/workspace.js'
import type { EndpointName, RequestOf, ResponseOf } from '../../protocol/api/endpoints.js'

export interface Call {
  unit: Unit
  caller: Caller & { credential: NonNullable<Caller['credential']> }
  requestId: string
  /** The files of a multipart body. */
  files: UploadedFile[]
}

export interface UploadedFile {
  name: string
  bytes: Uint8Array
}

/** Returns `data`; throws `ApiError`. The response schema is the promise, checked in tests. */
export type Handler<Name extends EndpointName> = (call: Call, request: RequestOf<Name>) => ResponseOf<Name>
