/** What a call of the faked API may be given beside its request. */

export interface ApiCallOptions {
  /** Plays this scenario for this one call. */
  scenario?: string | undefined
  /** Further headers; they win over those that the client sets. */
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
}

/** A file of a reply to a dispute. */
export interface UploadFile {
  name: string
  content: string | Uint8Array
  /** Media type; the sandbox looks at the content anyway. */
  type?: string | undefined
}
