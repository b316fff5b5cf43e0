/** Signs calls, and knows the secrets of the demonstration accounts. Does not import the test runner, so that bundles can use it. */
import { createHmac, randomUUID } from 'node:crypto'

export const secretsOf = (username: string) => ({
  clientId: `client_sandbox_${username}`,
  clientSecret: `secret_sandbox_${username}_0000000000000000000000000000000000000000`,
  signingKey: `sk_sandbox_${username}_0000000000000000000000000000000000000000`,
  webhookSecret: `whsec_sandbox_${username}_0000000000000000000000000000000000000000`,
})

/** Returns the headers of a signed call (§5.2). */
export function signatureOf(
  signingKey: string,
  body: string | Uint8Array,
  { timestamp = String(Math.floor(Date.now() / 1000)), nonce = randomUUID() as string } = {},
): { 'X-Timestamp': string; 'X-Nonce': string; 'X-Signature': string } {
  const signature = createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.`).update(body).digest('hex')
  return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
}
