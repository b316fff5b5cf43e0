/** The token that calls of the platform API share: fetched when it is first needed, and again after the sandbox rejects it. */
import { SandboxError } from './errors.js'
import { exchange, readAnswer } from './exchange.js'
import type { TokenResponse } from './types/responses.js'

/** Codes of a wrong or an old token: after a reset, or a jump of the clock, a new token works. */
const outdated = new Set(['TOKEN_EXPIRED', 'UNAUTHORIZED'])

export class TokenSession<Session> {
  #current: Promise<Session> | null = null

  constructor(readonly open: () => Promise<Session>) {}

  /** May send twice: the bearer is the first check, so a call with an outdated token has done nothing. */
  async call<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#now()
    try {
      return await send(await session)
    } catch (error) {
      if (!(error instanceof SandboxError && error.status === 401 && outdated.has(error.code))) throw error
      if (this.#current === session) this.#current = null
      return send(await this.#now())
    }
  }

  /** One token for all calls, including those that start while it is fetched. */
  #now(): Promise<Session> {
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

/** Where tokens come from. */
export interface TokenRequest {
  /** The address of the token endpoint. */
  url: string
  clientId: string
  clientSecret: string
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
}

export async function fetchToken({
  url,
  clientId,
  clientSecret,
  headers,
  signal,
}: TokenRequest): Promise<TokenResponse> {
  const answer = await exchange(url, {
    method: 'POST',
    headers: { Authorization: basic(clientId, clientSecret), 'Content-Type': 'application/json', ...headers },
    body: '{"grant_type":"client_credentials"}',
    signal: signal ?? null,
  })
  return readAnswer<TokenResponse>(answer)
}

/** `Basic` authorization of UTF-8 text. */
export function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${clientId}:${clientSecret}`)))}`
}
