/** Trust for TLS clients: the authorities that Node trusts by default, and one more. */
import { createSecureContext, type SecureContext } from 'node:tls'

/** `authority` is a certificate in PEM. Option `ca` would replace the default ones, those of NODE_EXTRA_CA_CERTS included. */
export function contextTrusting(authority: string): SecureContext {
  const context = createSecureContext()
  context.context.addCACert(authority)
  return context
}
