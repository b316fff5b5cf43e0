/** Options of a platform API call that are not part of its parameters, and the files that a call can upload. */

export interface ApiCallOptions {
  /** Applies this scenario to this one call. */
  scenario?: string | undefined
  /** Additional headers; they override those that the client sets. */
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
}

/** A file that is attached to a reply to a dispute. */
export interface UploadFile {
  name: string
  content: string | Uint8Array
  /** Media type. The sandbox also checks the content. */
  type?: string | undefined
}
