/** The API described: the OpenAPI document, and the page made from it. */
import type { streamRoutes } from '../../protocol/control/stream.js'
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import { docsPage } from '../openapi/page/page.js'
import { script } from '../openapi/page/script.js'
import { style } from '../openapi/page/style.js'
import type { CallContext, Handlers } from './mount.js'

/** The page comes with its own style and script, and with nothing else; no other site may frame it. */
const security = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

const page = (type: string, body: string) =>
  new Response(body, { headers: { 'Content-Type': `${type}; charset=utf-8`, ...security } })

const cached = documentCache()
const document = (call: CallContext): SandboxDocument =>
  cached({ baseUrl: baseUrlOf(call), version: call.host.version })

export const docsHandlers: Handlers<Omit<typeof streamRoutes, 'streamChanges'>> = {
  readOpenApi: (call) => ({ ...document(call) }),
  readDocs: (call) => page('text/html', docsPage(document(call))),
  readDocsStyle: () => page('text/css', style),
  readDocsScript: () => page('text/javascript', script),
}

/** As the caller reached us: inside a container the address that we listen on says nothing to them. */
function baseUrlOf({ request, ws }: CallContext): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}
