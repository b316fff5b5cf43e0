/** What a request must look like before it may reach the app: an authority and a target that make a URL, a body worth waiting for. */
import type { IncomingMessage } from 'node:http'
import { bodyLimits } from '../../../protocol/platform/limits.js'
import type { Refusal } from './protocol-errors.js'

const slash = 47

/** Checks `Host` and target; remembers the last good `Host`, since clients rarely change it. */
export function createGuard(): (incoming: IncomingMessage) => Refusal | undefined {
  let lastGoodHost = ''
  return (incoming) => {
    const { url: target = '', headers } = incoming
    if (headers.host !== undefined && headers.host !== lastGoodHost) {
      if (!isAuthority(headers.host)) return badHost(headers.host)
      lastGoodHost = headers.host
    }
    if (target.charCodeAt(0) === slash && !target.includes('\\')) return undefined
    return checkUnusualTarget(target)
  }
}

/** `host` or `host:port` of which a URL can be made; an empty one counts as absent. */
function isAuthority(host: string): boolean {
  return host === '' || (!/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}/`))
}

function badHost(host: string): Refusal {
  return {
    status: 403,
    code: 'FORBIDDEN_ORIGIN',
    message: 'Host is not the name of this sandbox.',
    details: { field: 'Host', rule: 'host or host:port', value: host },
  }
}

/** Absolute form (RFC 9112 §3.2.2) goes on to the app; a backslash would change the path once it is a URL. */
function checkUnusualTarget(target: string): Refusal | undefined {
  const path = target.split('?', 1)[0] ?? ''
  if (target === '*') return noSuchTarget
  if (path.includes('\\')) return badTarget('no backslash in the path')
  if (target.startsWith('/')) return undefined
  if (!/^https?:\/\//.test(target) || !URL.canParse(target))
    return badTarget('a path, or a URL with http:// or https://')
  const { username, password } = new URL(target)
  return username === '' && password === '' ? undefined : badTarget('no user or password in the address')
}

/** `OPTIONS *` asks about the server as a whole, of which there is nothing to tell. */
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
    message: 'The request target is not an address.',
    details: { field: 'request', rule },
  }
}

/** Of a client that asks with `Expect: 100-continue`: no, if what it announces is over the limit of its content type. */
export function refuseAnnouncedBody(incoming: IncomingMessage): Refusal | undefined {
  const isMultipart = /^multipart\//i.test(incoming.headers['content-type'] ?? '')
  const limitBytes = isMultipart ? bodyLimits.multipartBytes : bodyLimits.jsonBytes
  if (Number(incoming.headers['content-length'] ?? 0) <= limitBytes) return undefined
  return {
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is over the size limit.',
    details: { max_bytes: limitBytes },
  }
}
