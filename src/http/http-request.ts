/** As much of a `Request` as a call of the platform API needs: the server need not make a whole one. */
export interface HttpRequest extends Pick<Request, 'method' | 'url' | 'body' | 'arrayBuffer'> {
  readonly headers: CallHeaders
}

export interface CallHeaders extends Iterable<[string, string]> {
  get(name: string): string | null
}
