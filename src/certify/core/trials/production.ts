/** What holds in production alone. */
import { webhookHeaders } from '../../../protocol/platform/headers.js'
import { answerOf, broken, holds, notRefused, type Trial, unseen } from '../bench.js'
import type { Hit } from '../wire.js'

export const sandbox: Trial = async ({ wire, cast, options }) => {
  if (options.mode !== 'production') return unseen('tried in production mode only')
  const hit = await wire.fire(await cast.paid(), { sandbox: true })
  return notRefused(hit, `an event with ${webhookHeaders.sandbox}: 1`) ?? holds(answerOf(hit))
}

export const https: Trial = async ({ ws, cast, options: { productionUrl } }) => {
  if (productionUrl === null) return unseen('needs the production URL')
  if (!productionUrl.startsWith('https://')) return broken(`${productionUrl} is no https:// address`)
  const event = await cast.paid()
  const request = { url: productionUrl, headers: { [webhookHeaders.type]: 'application/json' }, body: event.body }
  const hit: Hit = { event, request, result: await ws.send(request) }
  const { status } = hit.result
  if (status === null) return broken(answerOf(hit), hit)
  if (status >= 300 && status < 400) return broken(`${answerOf(hit)}: redirects are not followed`, hit)
  return holds(`${answerOf(hit)} to a call without a signature, over a valid certificate`)
}
