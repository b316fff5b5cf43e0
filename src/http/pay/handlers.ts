/** The payer's page at `/pay/{transaction_id}`: open to everyone who has its address, as it would be for a customer. */
import { sha256Hex } from '../../base/crypto.js'
import type { payRoutes } from '../../protocol/control/stream-and-pages.js'
import type { ControlCall, Handlers } from '../control/routes.js'
import { serveAsset } from '../dashboard.js'
import { pageSecurity } from '../page-security.js'
import { type Charge, readCharge } from './charge.js'
import { localeOf, requestedLanguage } from './language.js'
import { noSuchCharge, payPage } from './page.js'

const pageResponse = (body: string | null, etag: string, status = 200) =>
  new Response(body, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      ETag: etag,
      Vary: 'Accept-Language',
      ...pageSecurity,
    },
  })

const tagOf = (text: string) => `"${sha256Hex(text).slice(0, 32)}"`

/** Covers everything that can change on the page except for a clock that runs by itself. */
function etagOf({ nowMs, ...charge }: Charge, language: string): string {
  return tagOf(JSON.stringify({ language, ...charge, ...(charge.isTimeMoving ? {} : { nowMs }) }))
}

async function readPayPage(call: ControlCall<(typeof payRoutes)['readPayPage']>): Promise<Response> {
  const { ws, params, query, request } = call
  const charge = await readCharge(ws, params.id)
  const locale = localeOf(requestedLanguage(query.lang, request.headers.get('accept-language')), charge)
  if (charge === undefined)
    return pageResponse(noSuchCharge(params.id, locale), tagOf(locale.language + params.id), 404)
  const etag = etagOf(charge, locale.language)
  if (request.headers.get('if-none-match') === etag) return pageResponse(null, etag, 304)
  return pageResponse(payPage(charge, locale, etag), etag)
}

export const payHandlers: Handlers<typeof payRoutes> = {
  readPayStyle: (call) => serveAsset(call, 'pay.css'),
  readPayScript: (call) => serveAsset(call, 'pay.js'),
  readPayPage,
}
