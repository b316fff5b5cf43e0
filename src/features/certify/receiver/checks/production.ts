/** Checks that apply in production only. */
import { webhookHeaders } from '../../../../inside/platform.js'
import { type Check, describeResponse, fail, failUnlessRejected, pass } from '../check-context.js'
import type { Attempt } from '../event-sender.js'

export const rejectsSandboxEvents: Check = async ({ sender, testEvents }) => {
  const attempt = await sender.send(await testEvents.payCharge(), { sandbox: true })
  return failUnlessRejected(attempt, `an event with ${webhookHeaders.sandbox}: 1`) ?? pass(describeResponse(attempt))
}

export const https: Check = async ({ workspace: ws, testEvents, options: { productionUrl } }) => {
  if (productionUrl?.startsWith('https://') !== true) return fail(`${productionUrl} is not an https:// address`)
  const event = await testEvents.payCharge()
  const request = { url: productionUrl, headers: { [webhookHeaders.type]: 'application/json' }, body: event.body }
  const attempt: Attempt = { event, request, result: await ws.send(request) }
  const { status } = attempt.result
  if (status === null) return fail(describeResponse(attempt), attempt)
  if (status >= 300 && status < 400) return fail(`${describeResponse(attempt)}: redirects are not followed`, attempt)
  return pass(`the certificate is valid; an unsigned call got ${describeResponse(attempt)}`)
}
