/** Checks requests before they reach the app: host and target must form a URL, and the body must be acceptable. */
import type { IncomingMessage } from 'node:http'
import { bodyLimits } from '../../../protocol/platform/limits.js'
import type { Refusal } from './protocol-errors.js'

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
