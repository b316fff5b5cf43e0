/** Maps errors of the HTTP parser, which occur before there is a request, to the statuses and codes of the catalogue. */
import { METHODS } from 'node:http'
import type { ErrorCode, ErrorDetails } from '../../../protocol/platform/errors.js'

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
