/** As much of a `Request` as a call of the platform API needs: the server need not make a whole one. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'body' | 'arrayBuffer'> {
  readonly headers: CallHeaders
  /** The body as it arrived, where the runtime can give it without a copy. */
  wholeBody?(): Promise<Uint8Array>
}

export interface CallHeaders extends Iterable<[string, string]> {
  get(name: string): string | null
}
