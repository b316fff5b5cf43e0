/** The API documentation: the OpenAPI document, and the page generated from it. */

import { demoCredential, listAccounts } from '../../core/auth/account.js'
import { credentialForEvents } from '../../core/auth/authenticate.js'
import type { docsRoutes } from '../../protocol/control/stream-and-pages.js'
import { serveAsset } from '../dashboard.js'
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import type { PageContext } from '../openapi/page/curl.js'
import { docsPage } from '../openapi/page/page.js'
import { pageSecurity } from '../page-security.js'
import type { CallContext, Handlers } from './routes.js'
import { baseUrlOf } from './workspaces.js'

const page = (body: string) =>
  new Response(body, { headers: { 'Content-Type': 'text/html; charset=utf-8', ...pageSecurity } })

const cached = documentCache()
const document = (call: CallContext): SandboxDocument =>
  cached({
    baseUrl: baseUrlOf(call),
    version: call.host.version,
    features: call.host.routes,
    config: call.ws.config,
  })

/** The page shows a credential of this workspace, so that its commands work when pasted. */
function pageContext(call: CallContext): PageContext {
  const [account] = listAccounts(call.ws.db)
  const credential = account === undefined ? undefined : credentialForEvents(call.ws.db, account.seq, null)
  return {
    baseUrl: baseUrlOf(call),
    credential: credential ?? demoCredential('merchant'),
    asksToken: !call.host.isAdmin(null),
  }
}

export const docsHandlers: Handlers<typeof docsRoutes> = {
  readOpenApi: (call) => ({ ...document(call) }),
  readDocs: (call) => page(docsPage(document(call), pageContext(call))),
  readDocsStyle: (call) => serveAsset(call, 'docs.css'),
  readDocsScript: (call) => serveAsset(call, 'docs.js'),
}
