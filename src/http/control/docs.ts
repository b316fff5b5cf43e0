/** The API described: the OpenAPI document, and the page made from it. */
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import { docsPage } from '../openapi/page/page.js'
import { script } from '../openapi/page/script.js'
import { style } from '../openapi/page/style.js'
import type { AdminCall, AdminRoute } from './route.js'

/** The page comes with its own style and script, and with nothing else; no other site may frame it. */
const security = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

const page = (type: string, body: string) =>
  new Response(body, { headers: { 'Content-Type': `${type}; charset=utf-8`, ...security } })

/** `all`: every route of the control API, once they are known. */
export function docsRoutes(all: () => readonly AdminRoute[]): readonly AdminRoute[] {
  const cached = documentCache()
  const document = (call: AdminCall): SandboxDocument =>
    cached({ baseUrl: baseUrlOf(call), version: call.host.version, routes: all() })
  return [
    {
      method: 'GET',
      path: '/_sandbox/openapi.json',
      title: 'The API as an OpenAPI 3.1 document',
      handle: document,
    },
    {
      method: 'GET',
      path: '/_sandbox/docs',
      title: 'The API as a page',
      handle: (call) => page('text/html', docsPage(document(call))),
    },
    {
      method: 'GET',
      path: '/_sandbox/docs.css',
      title: 'The style of the page',
      handle: () => page('text/css', style),
    },
    {
      method: 'GET',
      path: '/_sandbox/docs.js',
      title: 'The script of the page',
      handle: () => page('text/javascript', script),
    },
  ]
}

/** As the caller reached us: inside a container the address that we listen on says nothing to them. */
function baseUrlOf({ request, ws }: AdminCall): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}
