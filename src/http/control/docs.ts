/** The API described: the OpenAPI document, and the page made from it. */
import type { streamRoutes } from '../../protocol/control/stream.js'
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import { docsPage } from '../openapi/page/page.js'
import { script } from '../openapi/page/script.js'
import { style } from '../openapi/page/style.js'
import { pageSecurity } from '../page-security.js'
import { baseUrlOf } from './mount/base-url.js'
import type { CallContext, Handlers } from './mount/mount.js'

const page = (type: string, body: string) =>
  new Response(body, { headers: { 'Content-Type': `${type}; charset=utf-8`, ...pageSecurity } })

const cached = documentCache()
const document = (call: CallContext): SandboxDocument =>
  cached({ baseUrl: baseUrlOf(call), version: call.host.version })

export const docsHandlers: Handlers<Omit<typeof streamRoutes, 'streamChanges'>> = {
  readOpenApi: (call) => ({ ...document(call) }),
  readDocs: (call) => page('text/html', docsPage(document(call))),
  readDocsStyle: () => page('text/css', style),
  readDocsScript: () => page('text/javascript', script),
}
