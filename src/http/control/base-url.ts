/** URLs of the sandbox as a caller can use them. */
import type { CallContext } from './routes.js'

type CallAddress = Pick<CallContext, 'request' | 'ws'>

/** Uses the address that the caller used: inside a container, the address that the server listens on is of no use to them. */
export function baseUrlOf({ request, ws }: CallAddress): string {
  const { origin } = new URL(request.url)
  return ws.name === 'default' ? origin : `${origin}/w/${ws.name}`
}

type WithPayUrl<Shown> = Shown extends { payment_method: unknown } ? Shown & { pay_url: string } : Shown

/** Adds the address of the payer's page to a charge. */
export function withPayUrl<Shown extends object>(call: CallAddress, object: Shown): WithPayUrl<Shown> {
  const host =
    'payment_method' in object && 'transaction_id' in object
      ? { ...object, pay_url: `${baseUrlOf(call)}/pay/${object.transaction_id}` }
      : object
  // TypeScript resolves a conditional type only once its type parameter is known.
  return host as WithPayUrl<Shown>
}
