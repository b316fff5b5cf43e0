/** The dashboard's files at `/` and `/assets/…`, and the style, script and icon of the other pages. They contain no data: the page requests everything from the control API. */
import { sha256Hex } from '../base/crypto.js'
import type { pageRoutes } from '../protocol/control/stream-and-pages.js'
import { ApiError } from '../protocol/platform/errors.js'
import type { CallContext, Handlers } from './control/routes.js'
import type { Asset } from './host.js'
import { pageSecurity } from './page-security.js'

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
    const message = name === page ? 'The dashboard is not built: run `npm run build`.' : `There is no file ${name}.`
    throw new ApiError('NOT_FOUND', { file: name }, message)
  }
  const etag = etagOf(asset)
  const headers = { ...pageSecurity, ETag: etag, 'Cache-Control': 'no-cache' }
  const cachedTags = request.headers.get('if-none-match')?.split(',') ?? []
  if (cachedTags.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new Response(null, { status: 304, headers })
  return new Response(asset.body, { headers: { ...headers, 'Content-Type': asset.type } })
}

const page = 'index.html'

export const pageHandlers: Handlers<typeof pageRoutes> = {
  readDashboard: (call) => serveAsset(call, page),
  readAsset: (call) => serveAsset(call, call.params.file),
  readIcon: (call) => serveAsset(call, 'icon.svg'),
}
