/** Addresses of the sandbox as a caller can use them. */
import type { SandboxObject } from '../../protocol/control/objects.js'
import type { CallContext } from './mount.js'

type Reached = Pick<CallContext, 'request' | 'ws'>

/** As the caller reached us: inside a container the address that we listen on says nothing to them. */
export function baseUrlOf({ request, ws }: Reached): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}

/** A charge also tells where its payer would pay it. */
export function withPayUrl<Shown extends object>(call: Reached, object: Shown): Shown {
  if (!isCharge(object)) return object
  return { ...object, pay_url: `${baseUrlOf(call)}/pay/${object.transaction_id}` }
}

type ChargeShown = Extract<SandboxObject, { payment_method: unknown }>

const isCharge = (object: object): object is ChargeShown => 'payment_method' in object && 'transaction_id' in object
