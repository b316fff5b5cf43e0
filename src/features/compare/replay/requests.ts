/** Builds the request that repeats a recorded call: with translated ids, a token and a signature of the sandbox. */
import {
  type Endpoint,
  endpoints,
  errorCatalogue,
  isSignatureError,
  requestHeaders,
  signatureWindowMs,
} from '../../../inside/platform.js'
import { hmacHexOf } from '../../../inside/secrets.js'
import {
  base64Of,
  fieldsIn,
  isKeyOf,
  JsonError,
  MultipartError,
  parseHeaderValue,
  parseJson,
  partsOf,
  secondMs,
} from '../../../inside/values.js'
import type { Exchange, FormPart } from '../har/exchange.js'
import type { RecordedCall } from '../har/recording.js'
import { signedKindOf } from '../probe/signed.js'
import type { KnownPairs } from './known-pairs.js'
import type { Scratch } from './scratch.js'

const encoder = new TextEncoder()
/** Base URL of the sandbox, as its links show it. */
const home = 'http://127.0.0.1'

export class Requests {
  /** The same recorded nonce always becomes the same nonce. */
  readonly #nonces = new Map<string, string>()
  /** What `Authorization` was when the platform accepted it. */
  readonly #accepted = new Set<string | undefined>()

  constructor(
    readonly scratch: Scratch,
    readonly pairs: KnownPairs,
  ) {}

  async requestFor(call: RecordedCall, recorded: RecordedAnswer): Promise<Request> {
    const answer = { ...recorded, code: this.#meantCode(call, recorded) }
    if (call.endpoint !== 'token' && recorded.status < 400) this.#accepted.add(call.headers.get('authorization'))
    const url = new URL(home + call.path)
    for (const [name, value] of call.url.searchParams)
      url.searchParams.append(name, String(this.pairs.translate(value)))
    const endpoint: Endpoint | null = call.endpoint === null ? null : endpoints[call.endpoint]
    const headers = new Headers()
    const type = call.headers.get('content-type')
    if (endpoint?.input === 'multipart') {
      headers.set('Authorization', await this.#authorization(call, answer))
      return new Request(url, { method: call.method, headers, body: this.#form(call) })
    }
    const body = call.method === 'GET' ? null : this.#body(call.body)
    if (body !== null) headers.set('Content-Type', type ?? 'application/json')
    const authorization = await this.#authorization(call, answer)
    if (authorization !== '') headers.set('Authorization', authorization)
    if (endpoint?.hmac === true) this.#sign(headers, call, answer, body ?? '')
    if (body !== null) headers.set('Content-Length', String(encoder.encode(body).length))
    return new Request(url, { method: call.method, headers, ...(body === null ? {} : { body }) })
  }

  /** The documented code that a code which is not documented stands for, if the call shows what was wrong with its signature. */
  #meantCode({ endpoint, headers, startedMs }: RecordedCall, { code, status }: RecordedAnswer): string | null {
    const isSigned = endpoint !== null && 'hmac' in endpoints[endpoint]
    if (!isSigned || status !== 401 || code === null || isKeyOf(errorCatalogue, code)) return code
    const header = (name: string) => headers.get(name.toLowerCase())
    if (headers.has('authorization') && header(requestHeaders.signature) === undefined) return 'MISSING_SIGNATURE'
    if (!this.#accepted.has(headers.get('authorization'))) return code
    if (this.#nonces.has(header(requestHeaders.nonce) ?? '')) return 'REPLAY_DETECTED'
    return isNear(header(requestHeaders.timestamp), startedMs) ? 'INVALID_SIGNATURE' : 'INVALID_TIMESTAMP'
  }

  /** The original text, unless it contains an id to replace. */
  #body(text: string | null): string | null {
    if (text === null || text === '') return text
    try {
      const value = parseJson(text)
      const translated = JSON.stringify(this.pairs.translate(value))
      return translated === JSON.stringify(value) ? text : translated
    } catch (error) {
      if (error instanceof JsonError) return text
      throw error
    }
  }

  /** Recordings contain no credentials. A probe says whose a call has; of other calls, the answer shows it. */
  async #authorization(call: RecordedCall, { code, details, status }: RecordedAnswer): Promise<string> {
    const { clientId, clientSecret } = this.scratch.credential
    const { caller } = call
    if (caller === 'nobody') return ''
    if (call.endpoint === 'token') {
      // A code that is not documented says as much as none.
      const isUnknown = code === null || !isKeyOf(errorCatalogue, code)
      const isShown = isUnknown ? status !== 401 && status !== 403 : !credentialErrors.includes(code)
      const isRight = caller === null ? isShown : caller === 'account'
      if (!isRight && caller === null && code !== 'IP_BLOCKED_TEMPORARILY' && !call.headers.has('authorization'))
        return ''
      return `Basic ${base64Of(encoder.encode(`${clientId}:${isRight ? clientSecret : 'wrong'}`))}`
    }
    if (caller === 'stranger') return 'Bearer unknown'
    if (code === 'TOKEN_EXPIRED') return `Bearer ${this.scratch.expiredToken}`
    const isRejected =
      code === 'UNAUTHORIZED' ||
      (status === 401 && !(call.endpoint !== null && 'hmac' in endpoints[call.endpoint] && isSignatureError(code)))
    if (!isRejected || caller === 'account') return `Bearer ${await this.scratch.token()}`
    if (details.reason === 'missing' || (details.reason === undefined && !call.headers.has('authorization'))) return ''
    return details.reason === 'malformed' ? 'Bearer' : 'Bearer unknown'
  }

  /** A probe says how its calls were signed; of other calls, the headers and the answer show it. */
  #sign(headers: Headers, call: RecordedCall, { details, status, ...answer }: RecordedAnswer, body: string): void {
    const { signed } = call
    const code = signed === null ? answer.code : null
    const missing: unknown[] = code === 'MISSING_SIGNATURE' && Array.isArray(details.missing) ? details.missing : []
    // A recorder that leaves out the token leaves out the signature too.
    const isWhole = signed !== null || code === 'MISSING_SIGNATURE' || call.headers.has('authorization')
    const has = (name: string) => !isWhole || (call.headers.has(name.toLowerCase()) && !missing.includes(name))
    const recorded = call.headers.get(requestHeaders.timestamp.toLowerCase()) ?? ''
    const isKept = code === 'INVALID_TIMESTAMP' || (/^\d{1,14}$/.test(recorded) && !isNear(recorded, call.startedMs))
    const { aheadSeconds } = signedKindOf(signed ?? 'rightly')
    const timestamp = isKept && aheadSeconds === undefined ? recorded : this.#seconds(aheadSeconds)
    const nonce = signed === 'with_bad_nonce' ? 'one' : this.#nonce(call, code)
    const isRight =
      signed === null
        ? code !== 'INVALID_SIGNATURE' && (status !== 401 || code !== null)
        : !signed.endsWith('with_another_key')
    const hex = hmacHexOf(
      isRight ? this.scratch.credential.signingKey : 'wrong',
      `${timestamp}.${nonce}.`,
      encoder.encode(body),
    )
    const signature = signed === 'in_upper_case' ? hex.toUpperCase() : hex
    if (has(requestHeaders.timestamp)) headers.set(requestHeaders.timestamp, timestamp)
    if (has(requestHeaders.nonce)) headers.set(requestHeaders.nonce, nonce)
    if (has(requestHeaders.signature)) headers.set(requestHeaders.signature, signature)
  }

  #seconds = (ahead = 0) => String(Math.floor(this.scratch.time.wallMs / secondMs) + ahead)

  #nonce(call: RecordedCall, code: string | null): string {
    const recorded = call.headers.get(requestHeaders.nonce.toLowerCase()) ?? ''
    const last = [...this.#nonces.values()].at(-1)
    const known = this.#nonces.get(recorded)
    if (code === 'REPLAY_DETECTED') return known ?? last ?? newNonce(0)
    if (recorded !== '' && known !== undefined) return known
    const nonce = newNonce(this.#nonces.size)
    this.#nonces.set(recorded === '' ? nonce : recorded, nonce)
    return nonce
  }

  /** Recordings contain no files; samples of the same types replace them. */
  #form(call: RecordedCall): FormData {
    const form = new FormData()
    for (const { name, value, fileName, type } of formParts(call)) {
      if (fileName === null) form.append(name, String(this.pairs.translate(value)))
      else form.append(name, new Blob([sampleOf(type ?? '')], { type: type ?? 'application/pdf' }), fileName)
    }
    return form
  }
}

const credentialErrors = ['INVALID_CREDENTIALS', 'IP_BLOCKED_TEMPORARILY']

/** A client whose clock agrees with the recorder's is judged by the platform's clock only where the platform does. */
const isNear = (timestamp: string | undefined, startedMs: number) =>
  Math.abs(Number(timestamp) * secondMs - startedMs) <= signatureWindowMs

const newNonce = (count: number) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`

function sampleOf(type: string): Uint8Array<ArrayBuffer> {
  if (type === 'image/png') return new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0])
  if (type === 'image/jpeg') return new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0x10, 0x4a, 0x46, 0x49, 0x46, 0, 1])
  return new Uint8Array(encoder.encode('%PDF-1.4\n%%EOF\n'))
}

/** The parts of a recorded answer that repeating the call depends on. `code` is null for a success. */
export function recordedAnswer(status: number, body: unknown) {
  const error = fieldsIn(fieldsIn(body).error)
  const code = typeof error.code === 'string' ? error.code : null
  return { code, details: fieldsIn(error.details), status }
}
export type RecordedAnswer = ReturnType<typeof recordedAnswer>

const utf8 = new TextDecoder()

/** The parts of a recorded form: as the producer parsed it, or as the body says. None if the body is not multipart. */
function formParts({ form, body, headers }: Exchange): readonly FormPart[] {
  if (form.length > 0 || body === null) return form
  const { parameters } = parseHeaderValue(headers.get('content-type') ?? '')
  const boundary = parameters.get('boundary') ?? firstLine(body).slice(2)
  try {
    // A producer that shortens a body omits its end.
    return partsOf(encoder.encode(`${body}\r\n--${boundary}--`), boundary).map(({ name, fileName, type, content }) => ({
      ...{ name, fileName, type },
      value: utf8.decode(content),
    }))
  } catch (error) {
    if (error instanceof MultipartError) return []
    throw error
  }
}

const firstLine = (text: string) => text.slice(0, Math.max(0, text.indexOf('\r\n')))
