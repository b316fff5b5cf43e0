/** Addresses of the sandbox as a caller can use them. */
import type { CallContext } from './routes.js'

type Reached = Pick<CallContext, 'request' | 'ws'>

/** As the caller reached us: inside a container the address that we listen on says nothing to them. */
export function baseUrlOf({ request, ws }: Reached): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}

type WithPayUrl<Shown> = Shown extends { payment_method: unknown } ? Shown & { pay_url: string } : Shown

/** A charge also tells where its payer would pay it. */
export function withPayUrl<Shown extends object>(call: Reached, object: Shown): WithPayUrl<Shown> {
  const shown =
    'payment_method' in object && 'transaction_id' in object
      ? { ...object, pay_url: `${baseUrlOf(call)}/pay/${object.transaction_id}` }
      : object
  // A condition on a type parameter is only settled where the parameter is.
  return shown as WithPayUrl<Shown>
}
