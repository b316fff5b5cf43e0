/** Calls over HTTP. Each response of a sandbox is checked: the envelope, the schema of its endpoint or route, and the row of its error. */
import { Agent, request } from 'undici'
import { expect } from 'vitest'
import * as z from 'zod'
import { type Endpoint, endpoints } from '../../src/protocol/platform/endpoints.js'
import { errorSpec, utcMoment } from './interface.js'
import { errorBody, isJudged, judge, judgements, recordAnswer } from './judge.js'
import { strictly } from './strict.js'

// biome-ignore lint/suspicious/noExplicitAny: tests read fields by name, and a missing field fails the test
export type Body = any

interface Read {
  status: number
  headers: Headers
  text: string
}

export interface Answer extends Read {
  body: Body
  /** `data` of a success; an error has `code`. */
  data: Body
  code: string | undefined
}

/** Closes idle connections long before the sandbox does, so that a busy test does not send on one that was just closed. */
const dispatcher = new Agent({ keepAliveTimeout: 1000, keepAliveMaxTimeout: 1000 })

/**
 * Sends a string unchanged and any other body as JSON; `undefined` means no body. Takes a third of the CPU of `fetch`.
 */
export async function send(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await request(url, {
    method,
    headers: { ...(text === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: text ?? null,
    dispatcher,
  })
  const reported = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) reported.append(name, one)
  const answered = await answer.body.text()
  if (isJudged(reported)) {
    judgements.push(judge(method, url, answer.statusCode, answered))
    await recordAnswer(method, url, answer.statusCode, answered, reported.get('x-request-id') ?? '')
  }
  return readAnswer(method, url, { status: answer.statusCode, headers: reported, text: answered })
}

export function readAnswer(method: string, url: string, { status, headers, text }: Read): Answer {
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json')
  const body: Body = isJson ? JSON.parse(text) : text
  const answer = { status, headers, body, text, data: body?.data ?? body }
  const { pathname } = new URL(url)
  expect(headers.get('x-request-id'), `${method} ${pathname}`).toMatch(/^\S+$/)
  if (pathname.startsWith('/v2')) checkAnswer(method, pathname, answer)
  return { ...answer, code: body?.error?.code }
}

const envelope = (data: z.ZodType) =>
  z.strictObject({
    success: z.literal(true),
    data,
    request_id: z.string().min(1),
    timestamp: z.string().regex(utcMoment),
  })

const successSchemas = Object.values(endpoints).map((endpoint: Endpoint) => {
  const data = strictly(endpoint.response())
  return { ...endpoint, schema: endpoint.auth === 'basic' ? data : envelope(data) }
})

/** Codes that the interface does not list: a scenario responds with its own, and the sandbox rejects foreign origins. */
const ownCodes: readonly string[] = ['TEAPOT', 'FORBIDDEN_ORIGIN']

/** Checks the fields of the envelope, the strict schema of the endpoint, and the row of the error. */
function checkAnswer(method: string, path: string, { status, headers, body, text }: Omit<Answer, 'code'>): void {
  const reported = `${method} ${path} ${status} ${text.slice(0, 500)}`
  expect(headers.get('content-type'), reported).toMatch(/^application\/json/)
  if (status < 400) {
    const endpoint = successSchemas.find((one) => one.path === path && one.method === method)
    const result = endpoint?.schema.safeParse(body)
    expect(result?.success, `${reported}\n${result?.error === undefined ? '' : z.prettifyError(result.error)}`).toBe(
      true,
    )
    expect(body.request_id ?? body.meta.request_id, reported).toBe(headers.get('x-request-id'))
    return
  }
  expect(errorBody.safeParse(body).error?.message, reported).toBeUndefined()
  const { code, group, retryable, details } = body.error
  const row = errorSpec[code]
  if (ownCodes.includes(code)) return
  expect([status, group, retryable], reported).toEqual(row?.slice(0, 3))
  for (const name of row?.[3] ?? []) expect(details, reported).toHaveProperty([name])
}

/** Calls of the control API of one base URL. */
export const control = (base: string) => (method: string, path: string, body?: unknown) =>
  send(method, `${base}/_sandbox${path}`, body)
