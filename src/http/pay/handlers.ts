/** The payer's page at `/pay/{transaction_id}`: open to everyone who has its address, as it would be for a customer. */
import { sha256Hex } from '../../base/crypto.js'
import type { payRoutes } from '../../protocol/control/pay.js'
import type { ControlCall, Handlers } from '../control/routes.js'
import { pageSecurity } from '../page-security.js'
import { type Charge, readCharge } from './charge.js'
import { noSuchCharge, payPage } from './page.js'
import { script } from './script.js'
import { style } from './style.js'

const pageResponse = (type: string, body: string | null, etag: string, status = 200) =>
  new Response(body, {
    status,
    headers: {
      'Content-Type': `text/${type}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      ETag: etag,
      ...pageSecurity,
    },
  })

const tagOf = (text: string) => `"${sha256Hex(text).slice(0, 32)}"`

/** Covers everything that can change on the page except for a clock that runs by itself. */
function etagOf({ nowMs, ...charge }: Charge): string {
  return tagOf(JSON.stringify(charge.isTimeMoving ? charge : { ...charge, nowMs }))
}

async function readPayPage({ ws, params, request }: ControlCall<(typeof payRoutes)['readPayPage']>): Promise<Response> {
  const charge = await readCharge(ws, params.id)
  if (charge === undefined) return pageResponse('html', noSuchCharge(params.id), tagOf(params.id), 404)
  const etag = etagOf(charge)
  if (request.headers.get('if-none-match') === etag) return pageResponse('html', null, etag, 304)
  return pageResponse('html', payPage(charge, etag), etag)
}

export const payHandlers: Handlers<typeof payRoutes> = {
  readPayStyle: () => pageResponse('css', style, tagOf(style)),
  readPayScript: () => pageResponse('javascript', script, tagOf(script)),
  readPayPage,
}
