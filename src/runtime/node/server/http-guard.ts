/** Checks requests before they reach the app: host, target and body, and what the HTTP parser rejects before there is a request. */
import { type IncomingMessage, METHODS } from 'node:http'
import type { Server } from 'node:net'
import { bytesWithin } from '../../../base/bytes.js'
import type { ErrorCode, ErrorDetails } from '../../../protocol/platform/errors.js'
import { bodyLimits } from '../../../protocol/platform/limits.js'

const slash = 47

/** Checks `Host` and target. Caches the last valid `Host`, because clients rarely change it. */
export function createGuard(): (incoming: IncomingMessage) => Refusal | undefined {
  let lastGoodHost = ''
  return (incoming) => {
    const { url: target = '', headers, httpVersion } = incoming
    // RFC 9112 §3.2 requires the header from HTTP/1.1 on.
    if (headers.host === undefined && httpVersion === '1.1') return missingHost
    if (headers.host !== undefined && headers.host !== lastGoodHost) {
      if (!isAuthority(headers.host)) return badHost(headers.host)
      lastGoodHost = headers.host
    }
    if (target.charCodeAt(0) === slash && !target.includes('\\')) return undefined
    return checkUnusualTarget(target)
  }
}

/** Returns whether `host` or `host:port` can be part of a URL; an empty text counts as missing. */
function isAuthority(host: string): boolean {
  return host === '' || (!/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}/`))
}

const missingHost: Refusal = {
  status: 400,
  code: 'INVALID_VALUE',
  message: 'The header Host is missing. HTTP/1.1 requires it.',
  details: { field: 'Host', rule: 'is required' },
}

function badHost(host: string): Refusal {
  return {
    status: 403,
    code: 'FORBIDDEN_ORIGIN',
    message: 'The header Host is not a valid host name.',
    details: { field: 'Host', rule: 'host or host:port', value: host },
  }
}

/** Absolute targets (RFC 9112 §3.2.2) are passed to the app. A backslash is rejected: in a URL it would change the path. */
function checkUnusualTarget(target: string): Refusal | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (target === '*') return noSuchTarget
  if (path.includes('\\')) return badTarget('must not have a backslash in the path')
  if (target.startsWith('/')) return undefined
  if (!/^https?:\/\//.test(target) || !URL.canParse(target))
    return badTarget('must be a path, or a URL with http:// or https://')
  const { username, password } = new URL(target)
  return username === '' && password === '' ? undefined : badTarget('must not have a user name or password')
}

/** The error for `OPTIONS *`, which asks about the server as a whole: the sandbox has no such information. */
const noSuchTarget: Refusal = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'There is nothing at this address.',
  details: { path: '*' },
}

function badTarget(rule: string): Refusal {
  return {
    status: 400,
    code: 'INVALID_VALUE',
    message: 'The request target is not a valid URL.',
    details: { field: 'request', rule },
  }
}

/** Routes of the control API have limits of their own, and reject a body that is over them before they read it. */
const controlPath = /^(?:\/w\/[^/]{1,200})?\/_sandbox\//

/**
 * For clients that send `Expect: 100-continue`, as curl does with large files: rejects a declared length over the limit
 * of the content type.
 */
export function refuseAnnouncedBody(incoming: IncomingMessage): Refusal | undefined {
  if (controlPath.test(incoming.url ?? '')) return undefined
  const isMultipart = /^multipart\//i.test(incoming.headers['content-type'] ?? '')
  const limitBytes = isMultipart ? bodyLimits.multipartBytes : bodyLimits.jsonBytes
  if (Number(incoming.headers['content-length'] ?? 0) <= limitBytes) return undefined
  return {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is larger than the limit.',
    details: { max_bytes: limitBytes },
  }
}

/** An error response that the server sends without the app. */
export interface Refusal {
  status: number
  code: ErrorCode
  message: string
  details: ErrorDetails
  headers?: Record<string, string>
}

type Row = Omit<Refusal, 'details'>

const knownMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const malformed: Row = { status: 400, code: 'INVALID_VALUE', message: 'This is not a well-formed HTTP/1.1 request.' }
const tooSlow: Row = { status: 408, code: 'WAIT_TIMEOUT', message: 'The request was not complete before the timeout.' }
const otherVersion: Row = { status: 505, code: 'INVALID_VALUE', message: 'Only HTTP/1.1 and HTTP/1.0 are supported.' }
const noSuchMethod: Row = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'No route supports this method.',
  headers: { Allow: knownMethods },
}

const rows: Readonly<Record<string, Row>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'PAYLOAD_TOO_LARGE', message: 'The headers are larger than the limit.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The chunk extensions are larger than the limit.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_INVALID_VERSION: otherVersion,
  HPE_PAUSED_H2_UPGRADE: otherVersion,
}

const requestLine = /^([A-Za-z_-]{1,32}) \S+ HTTP\/1\.[01]\r?\n/

/** Fields that Node adds to errors of its parser. */
interface ClientError extends NodeJS.ErrnoException {
  reason?: unknown
  rawPacket?: unknown
}

/** Returns the error response for an error of the event `clientError`. */
export function refusalOf(error: ClientError): Refusal {
  const row = rows[error.code ?? ''] ?? (isUnknownMethod(error) ? noSuchMethod : malformed)
  const rule = typeof error.reason === 'string' ? error.reason : error.message
  return { ...row, details: { field: 'request', rule } }
}

/** Node's parser also knows the methods of RTSP, and then rejects the version as an "invalid constant". */
const methodErrors: readonly unknown[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT']

/** Random bytes cause the same codes, so the response is 405 only if the rest is a well-formed request line. */
function isUnknownMethod({ code, rawPacket }: ClientError): boolean {
  if (!methodErrors.includes(code) || !(rawPacket instanceof Uint8Array)) return false
  const method = requestLine.exec(Buffer.from(rawPacket.subarray(0, 8192)).toString('latin1'))?.[1]
  return method !== undefined && !METHODS.includes(method)
}

export const connectRefused: Refusal = {
  ...noSuchMethod,
  message: 'CONNECT is not supported: this server is not a proxy.',
  details: { field: 'request', rule: 'CONNECT' },
}

/** Returns whether the client disconnected while the app read its body: not an error, and a response is impossible. */
export function isClientGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ECONNRESET') || error.message === 'Client connection prematurely closed.'
}

/** The error for an expectation other than `100-continue` (RFC 9110 §10.1.1). */
export function expectationFailed(expectation: string | undefined): Refusal {
  return {
    status: 417,
    code: 'INVALID_VALUE',
    message: 'The only supported value of Expect is 100-continue.',
    details: { field: 'Expect', rule: '100-continue', value: expectation ?? '' },
  }
}

/** Webhooks are a few KB long. */
const maxBytes = 16 * 1024 * 1024

/** Null if the connection breaks, or the body is longer than any webhook: nobody waits for an answer, or should get one. */
export const readWhole = (request: IncomingMessage): Promise<Buffer | null> =>
  bytesWithin(request, maxBytes).then(
    ({ buffer }) => Buffer.from(buffer),
    () => null,
  )

/** Port of a server that listens on one. */
export function portOf(server: Pick<Server, 'address'>): number {
  return addressOf(server).port
}

export function originOf(server: Pick<Server, 'address'>): string {
  const { address, family, port } = addressOf(server)
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function addressOf(server: Pick<Server, 'address'>) {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server is not listening on a port')
  return address
}
