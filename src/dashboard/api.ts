/** The control API as the page calls it: one workspace, the admin token where the sandbox asks for one, errors to be shown. */
import { createValue } from './store/value.js'

/** The error body of the API, or what kept it from answering (`code` NETWORK). */
export class ApiFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly details: Record<string, unknown>,
  ) {
    super(message)
  }
}

const tokenKey = 'sandbox-admin-token'

/** In the address, `/?workspace=name` or `/w/name/`, so that a link leads to the same one; another one is another page load. */
export const workspace =
  new URLSearchParams(location.search).get('workspace') ?? /^\/w\/([^/]+)/.exec(location.pathname)?.[1] ?? 'default'

/** Where the faked API and the control API of the workspace begin. */
export const prefix = workspace === 'default' ? '' : `/w/${encodeURIComponent(workspace)}`
export const baseUrl = `${location.origin}${prefix}`

/** True once the sandbox has asked for its admin token. */
export const tokenWanted = createValue(false)

/** Whether one was given, which the sandbox then did not take. */
export const tokenGiven = (): boolean => sessionStorage.getItem(tokenKey) !== null

export function keepToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
  location.reload()
}

export function authHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(tokenKey)
  return token === null ? {} : { 'X-Sandbox-Admin-Token': token }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `path` begins after `/_sandbox`; `text` sends a body that is not JSON. Throws `ApiFailure`. */
export async function call<T>(
  method: Method,
  path: string,
  body?: unknown,
  options: { type?: string; signal?: AbortSignal; outside?: boolean } = {},
): Promise<T> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${options.outside === true ? '' : prefix}/_sandbox${path}`, {
    method,
    cache: 'no-store',
    headers: {
      ...authHeaders(),
      ...(text === undefined ? {} : { 'Content-Type': options.type ?? 'application/json' }),
    },
    ...(text === undefined ? {} : { body: text }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted === true) throw error
    throw new ApiFailure('NETWORK', 'The sandbox does not answer. Is it still running?', 0, {})
  })
  const value = await readJson(answer)
  if (answer.ok) return value as T
  throw failureOf(answer.status, value)
}

export async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function failureOf(status: number, value: unknown): ApiFailure {
  const error = (value as { error?: { code?: string; message?: string; details?: Record<string, unknown> } } | null)
    ?.error
  const details = error?.details ?? {}
  if (status === 401 && details.header === 'X-Sandbox-Admin-Token') tokenWanted.set(true)
  return new ApiFailure(
    error?.code ?? `HTTP ${status}`,
    error?.message ?? `The sandbox answered ${status}.`,
    status,
    details,
  )
}

/** A path with its parts and query encoded: `at('/transactions', { type: 'cashin' })`; what is empty is left out. */
export function at(path: string, query: Record<string, string | number | null | undefined> = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const text = new URLSearchParams(filled.map(([key, value]) => [key, String(value)])).toString()
  return text === '' ? path : `${path}?${text}`
}
