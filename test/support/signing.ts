/** Signed calls, and the secrets of the demonstration accounts. Free of the test runner, so that whatever is bundled can use it too. */
import { createHmac, randomUUID } from 'node:crypto'

export const secretsOf = (username: string) => ({
  clientId: `client_sandbox_${username}`,
  clientSecret: `secret_sandbox_${username}_0000000000000000000000000000000000000000`,
  signingKey: `sk_sandbox_${username}_0000000000000000000000000000000000000000`,
  webhookSecret: `whsec_sandbox_${username}_0000000000000000000000000000000000000000`,
})

/** Headers of a signed call, by §5.2. */
export function signatureOf(
  signingKey: string,
  body: string | Uint8Array,
  { timestamp = String(Math.floor(Date.now() / 1000)), nonce = randomUUID() as string } = {},
): { 'X-Timestamp': string; 'X-Nonce': string; 'X-Signature': string } {
  const signature = createHmac('sha256', signingKey).update(`${timestamp}.${nonce}.`).update(body).digest('hex')
  return { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature }
}
