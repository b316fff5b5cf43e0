/** The dashboard's files at `/` and `/assets/…`, which contain no data, and the API documentation: the OpenAPI document, and the page generated from it. */

import { sha256Hex } from '../../base/crypto.js'
import { demoCredential, listAccounts } from '../../core/auth/account.js'
import { credentialForEvents } from '../../core/auth/authenticate.js'
import type { docsRoutes, pageRoutes } from '../../protocol/control/stream-and-pages.js'
import { ApiError } from '../../protocol/platform/errors.js'
import { type Asset, baseUrlOf } from '../host.js'
import { pageSecurity } from '../html.js'
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import type { PageContext } from '../openapi/page/endpoint.js'
import { docsPage } from '../openapi/page/page.js'
import type { CallContext, Handlers } from './routes.js'

const etags = new WeakMap<Asset, string>()

function etagOf(asset: Asset): string {
  const known = etags.get(asset) ?? `"${sha256Hex(asset.body).slice(0, 32)}"`
  etags.set(asset, known)
  return known
}

/**
 * Browsers cache the files and revalidate them each time, so an upgrade shows immediately. Throws 404 NOT_FOUND for an
 * unknown file.
 */
export function serveAsset({ host, request }: CallContext, name: string): Response {
  const asset = host.asset(name)
  if (asset === undefined) {
    const message =
      name === dashboardPage ? 'The dashboard is not built: run `npm run build`.' : `There is no file ${name}.`
    throw new ApiError('NOT_FOUND', { file: name }, message)
  }
  const etag = etagOf(asset)
  const headers = { ...pageSecurity, ETag: etag, 'Cache-Control': 'no-cache' }
  const cachedTags = request.headers.get('if-none-match')?.split(',') ?? []
  if (cachedTags.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers })
  return new Response(asset.body, { headers: { ...headers, 'Content-Type': asset.type } })
}

const dashboardPage = 'index.html'

export const pageHandlers: Handlers<typeof pageRoutes> = {
  readDashboard: (call) => serveAsset(call, dashboardPage),
  readAsset: (call) => serveAsset(call, call.params.file),
  readIcon: (call) => serveAsset(call, 'icon.svg'),
}

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
