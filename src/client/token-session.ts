/** The token that calls of the platform API share. It is fetched when first needed, and again after the sandbox rejects it. */
import { SandboxError } from './errors.js'
import { readAnswer, type Send, sendRequest } from './exchange.js'
import type { TokenResponse } from './types/responses.js'

/** Error codes of a wrong or expired token. After a reset or an advance of the clock, a new token works. */
const outdatedTokenCodes = new Set(['TOKEN_EXPIRED', 'UNAUTHORIZED'])

export class TokenSession<Session> {
  #current: Promise<Session> | null = null

  constructor(readonly open: () => Promise<Session>) {}

  /** May send twice. This is safe: the token is checked first, so a call with an outdated token has done nothing. */
  async call<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#currentSession()
    try {
      return await send(await session)
    } catch (error) {
      if (!(error instanceof SandboxError && error.status === 401 && outdatedTokenCodes.has(error.code))) throw error
      if (this.#current === session) this.#current = null
      return send(await this.#currentSession())
    }
  }

  /** Shares one token between all calls, including those that start while it is fetched. */
  #currentSession(): Promise<Session> {
    if (this.#current === null) {
      const session = this.open()
      this.#current = session
      session.catch(() => {
        if (this.#current === session) this.#current = null
      })
    }
    return this.#current
  }
}

/** The token endpoint and its credentials. */
export interface TokenRequest {
  /** The address of the token endpoint. */
  url: string
  clientId: string
  clientSecret: string
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
  send?: Send | undefined
}

export async function fetchToken({
  url,
  clientId,
  clientSecret,
  headers,
  signal,
  send,
}: TokenRequest): Promise<TokenResponse> {
  const init: RequestInit = {
    method: 'POST',
    headers: { Authorization: basic(clientId, clientSecret), 'Content-Type': 'application/json', ...headers },
    body: '{"grant_type":"client_credentials"}',
    signal: signal ?? null,
  }
  const answer = await sendRequest(url, init, send)
  return readAnswer<TokenResponse>(answer)
}

/** `Basic` authorization, as UTF-8. */
export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${clientId}:${clientSecret}`)))}`
}
