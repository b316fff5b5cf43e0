/** Maps network errors to the outcome of a delivery attempt. */
import type { Outcome } from '../../../core/unit/send-port.js'

/** An error with a known outcome: rejected by the guard, or our own timeout. */
export class SendFailure extends Error {
  constructor(
    readonly outcome: Outcome,
    message: string,
  ) {
    super(message)
  }
}

/** Errors while connecting. Others count as `tls` on https and `refused` on http, since nothing was sent. */
const connectOutcomes: Readonly<Record<string, Outcome>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'connect_timeout',
  EHOSTUNREACH: 'refused',
  EHOSTDOWN: 'refused',
  ENETUNREACH: 'refused',
  ENETDOWN: 'refused',
  EADDRNOTAVAIL: 'refused',
  EACCES: 'refused',
  EPERM: 'refused',
  EINVAL: 'refused',
  EMFILE: 'refused',
  ENFILE: 'refused',
  ENOBUFS: 'refused',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
}

const maxDetailLength = 300

/** Returns the outcome and one line of explanation; `sent` is true if a connected socket had received the request. */
export function describeFailure(error: Error, isHttps: boolean, sent: boolean): { outcome: Outcome; detail: string } {
  return { outcome: outcomeOf(error, isHttps, sent), detail: detailOf(error) }
}

function outcomeOf(error: Error, isHttps: boolean, sent: boolean): Outcome {
  if (error instanceof SendFailure) return error.outcome
  const code = codeOf(error)
  // With TLS 1.3 the receiver's alert may arrive after our handshake has finished.
  if (sent) return code === 'ETIMEDOUT' ? 'timeout' : code.startsWith('ERR_SSL') ? 'tls' : 'reset'
  if (code.startsWith('UND_ERR')) return code === 'UND_ERR_SOCKET' ? 'reset' : 'refused'
  return connectOutcomes[code] ?? (isHttps ? 'tls' : 'refused')
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The error of a name with several addresses has no message of its own, only one for each attempt. */
function detailOf(error: Error): string {
  const parts = error instanceof AggregateError ? error.errors.map(String) : [error.message]
  return parts.join('; ').slice(0, maxDetailLength) || codeOf(error) || 'unknown error'
}
