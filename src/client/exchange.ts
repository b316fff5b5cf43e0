/** One HTTP exchange with a sandbox: what it says, or the error that it amounts to. */
import { fieldsIn, isFields, stepInto } from '../base/unknown.js'
import { answerHeaders } from '../protocol/platform/headers.js'
import { SandboxError, UnreachableError } from './errors.js'

/** As much of a `Response` as is read of an answer. */
export interface Answer {
  ok: boolean
  status: number
  url: string
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

/** Sends one request and does not follow redirects; rejects where no answer comes. */
export type Send<Given extends Answer = Answer> = (url: string, init: RequestInit) => Promise<Given>

const byFetch: Send<Response> = (url, init) => fetch(url, { ...init, redirect: 'manual' })

export function exchange(url: string, init: RequestInit): Promise<Response>
export function exchange(url: string, init: RequestInit, send: Send | undefined): Promise<Answer>
/** Throws `UnreachableError`; an aborted call rejects with the reason of its signal. */
export async function exchange(url: string, init: RequestInit, send: Send = byFetch): Promise<Answer> {
  try {
    return await send(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason
    throw new UnreachableError(`nothing answers at ${originOf(url)} (${reasonOf(error)})`, { cause: error })
  }
}

/** Where a connection ends under a call. */
const cut: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET'])

/** For what changes nothing: a connection that was kept may be closed by the other side just as it is used again, and then it is asked once more. */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UnreachableError && cut.has(reasonOf(error.cause))) return ask()
    throw error
  }
}

/** The JSON of an answer, null where it has no body; what it holds is the caller's to know, by the route. Throws `SandboxError`, and `UnreachableError` for what is no sandbox's. */
export async function readAnswer<T = unknown>(answer: Answer): Promise<T> {
  const requestId = answer.headers.get(answerHeaders.requestId)
  const text = await textOf(answer)
  if (answer.status === 204) return parsed('null')
  const value = parsed(text)
  if (answer.ok && value !== undefined && requestId !== null) return value
  const error = errorOf(value)
  if (error !== undefined && !answer.ok)
    throw new SandboxError(
      answer.status,
      error.code,
      error.message,
      error.details ?? {},
      requestId,
      error.group,
      error.retryable,
    )
  throw new UnreachableError(`what answers at ${originOf(answer.url)} is no sandbox (HTTP ${answer.status})`)
}

async function textOf(answer: Answer): Promise<string> {
  try {
    return await answer.text()
  } catch (error) {
    throw new UnreachableError(`the answer of ${originOf(answer.url)} broke off (${reasonOf(error)})`, { cause: error })
  }
}

/** The body as it arrives. Throws `UnreachableError` if it breaks off. */
export async function* piecesOf({ body, url }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) yield next.value
  } catch (error) {
    throw new UnreachableError(`the answer of ${originOf(url)} broke off (${reasonOf(error)})`, { cause: error })
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

interface ErrorFields {
  code: string
  message: string
  group?: string
  retryable?: boolean
  details?: Record<string, unknown>
}

function errorOf(value: unknown): ErrorFields | undefined {
  const { code, message, group, retryable, details } = fieldsIn(fieldsIn(value).error)
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  return {
    code,
    message,
    ...(typeof group === 'string' ? { group } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(isFields(details) ? { details } : {}),
  }
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

/** The network's own word (`ECONNREFUSED`), which `fetch` hides in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause === null || typeof cause !== 'object') return String(cause)
  return String(stepInto(cause, 'code') ?? stepInto(cause, 'message') ?? cause)
}
