/** Sends one call of a probe, with the credentials, the signature and the body that its row asks for. */
import { basic, signRequest } from '../../../inside/client.js'
import { cliUserAgent, type Endpoint, endpoints, requestHeaders, responseHeaders } from '../../../inside/platform.js'
import { bytesWithin, type Fields, fieldsIn, fieldsOfJson, isKeyOf, rowAt, secondMs } from '../../../inside/values.js'
import type { ProbeCall } from './probes.js'
import type { PassedExchange } from './recording.js'
import { signedKindOf } from './signed.js'

export interface ProbeTarget {
  /** Without a slash at the end. */
  base: string
  clientId: string
  clientSecret: string
  signingKey: string | null
}

/** The target did not answer, or not completely; the message says how. */
export class NoAnswer extends Error {}

export interface Answer {
  /** `POST /v2/transactions/cashin`. */
  name: string
  status: number
  body: Fields
  /** `error.code`. */
  code: string | null
  retryAfter: string | null
  passed: PassedExchange
}

const longestMs = 10 * secondMs
const largestBytes = 1024 * 1024
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]

interface Encoded {
  search: string
  bytes: Uint8Array<ArrayBuffer>
  type: string | null
}

export class ProbeSender {
  #nonce = ''
  /** How far the platform's clock is ahead. */
  #skewMs = 0

  constructor(readonly target: ProbeTarget) {}

  /** Throws `NoAnswer`. Rejects with the reason of the signal. */
  async send(call: ProbeCall, token: string | null, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    const { base } = this.target
    const endpoint: Endpoint | null = isKeyOf(endpoints, call.to) ? endpoints[call.to] : null
    const [method = 'GET', path = ''] = endpoint === null ? call.to.split(' ') : [endpoint.method, endpoint.path]
    const { search, bytes, type } = await encode(endpoint, call)
    const startedAtMs = Date.now()
    const headers = {
      ...{ Accept: 'application/json', 'Accept-Encoding': 'identity', ...cliUserAgent },
      ...(type === null ? {} : { 'Content-Type': type }),
      ...this.#authorization(call, token),
      ...(endpoint?.hmac === true ? this.#signature(call, bytes) : {}),
    }
    const name = `${method} ${path}`
    const stop = new AbortController()
    const end = () => stop.abort()
    const timer = setTimeout(end, longestMs)
    signal.addEventListener('abort', end, { once: true })
    try {
      const body = method === 'GET' ? null : bytes
      const answer = await fetch(base + path + search, {
        method,
        headers,
        body,
        redirect: 'manual',
        signal: stop.signal,
      })
      const waitMs = Date.now() - startedAtMs
      const sentMs = Date.parse(answer.headers.get('date') ?? '')
      if (Number.isFinite(sentMs)) this.#skewMs = sentMs - startedAtMs - waitMs / 2
      const content = await bytesWithin(answer.body, largestBytes)
      const { status, statusText } = answer
      const fields = fieldsOfJson(decoder.decode(content)) ?? {}
      const { code } = fieldsIn(fields.error)
      return {
        ...{ name, status, body: fields, code: typeof code === 'string' ? code : null },
        retryAfter: answer.headers.get(responseHeaders.retryAfter),
        passed: {
          ...{ isWebhook: false, base, target: path + search, method, startedAtMs, waitMs },
          caller: call.as ?? 'account',
          ...(endpoint?.hmac === true ? { signed: call.signed ?? 'rightly' } : {}),
          request: { headers: [['Host', new URL(base).host], ...Object.entries(headers)], body: bytes },
          answer: { headers: [...answer.headers], body: content, status, statusText },
        },
      }
    } catch (error) {
      signal.throwIfAborted()
      throw new NoAnswer(
        `${name}: no answer${stop.signal.aborted ? ` within ${longestMs / secondMs} s` : `; ${reasonOf(error)}`}`,
      )
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  }

  #authorization({ to, as }: ProbeCall, token: string | null): Record<string, string> {
    const { clientId, clientSecret } = this.target
    if (as === 'nobody') return {}
    const isWrong = as === 'stranger'
    if (to === 'token') return { Authorization: basic(clientId, isWrong ? 'wrong-secret' : clientSecret) }
    return { Authorization: `Bearer ${isWrong ? 'unknown-token' : (token ?? '')}` }
  }

  /** Without the key, only what is wrong anyway is signed. */
  #signature({ signed }: ProbeCall, body: Uint8Array): Record<string, string> {
    const { signature, timestamp, nonce } = requestHeaders
    if (signed === 'not') return {}
    const [nowMs, key] = [Date.now(), this.target.signingKey]
    const { aheadSeconds: ahead } = signedKindOf(signed ?? 'rightly')
    const seconds = ahead === undefined ? nowMs / secondMs : (nowMs + this.#skewMs) / secondMs + ahead
    const headers = signRequest({
      signingKey: key === null || signed?.endsWith('with_another_key') === true ? 'another-key' : key,
      body,
      timestamp: Math.floor(signed === 'in_ms' ? nowMs : seconds),
      ...(signed === 'repeated' ? { nonce: this.#nonce } : {}),
      ...(signed === 'with_bad_nonce' ? { nonce: 'one' } : {}),
    })
    this.#nonce = headers[nonce]
    if (signed === 'partly') return { [timestamp]: headers[timestamp] }
    if (signed === 'without_nonce') return { [timestamp]: headers[timestamp], [signature]: headers[signature] }
    return signed === 'in_upper_case' ? { ...headers, [signature]: headers[signature].toUpperCase() } : headers
  }
}

async function encode(endpoint: Endpoint | null, { send, contentType }: ProbeCall): Promise<Encoded> {
  const fields = fieldsIn(send)
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  if (endpoint?.input === 'json') {
    const text = typeof send === 'string' ? send : JSON.stringify(fields)
    return { search: '', bytes: encoder.encode(text), type: contentType ?? 'application/json' }
  }
  if (endpoint?.input !== 'multipart')
    return { search: pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`, bytes: new Uint8Array(), type: null }
  const form = new FormData()
  for (const [name, value] of pairs) form.append(name, value)
  const encoded = new Response(form)
  return { search: '', bytes: await bytesWithin(encoded.body), type: encoded.headers.get('content-type') }
}

const [closed, unreachable] = ['the target closed the connection', 'no connection could be opened'] as const
const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the target refused the connection',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
}

/** In words. `fetch` puts the network's code into the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (!(cause instanceof Error)) return 'the connection failed'
  const code = String(fieldsIn({ ...cause }).code ?? '')
  const known = rowAt(networkReasons, code)
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return `the answer is not HTTP (${code})`
  return /CERT|TLS|SSL/.test(code)
    ? `the certificate of the target is not accepted (${code})`
    : `the connection failed (${code || cause.message})`
}
