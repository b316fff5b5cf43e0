/** How a probe signs a call and whose credentials it sends, as its recording says it. */
import { type AssumptionId, type DocumentedSentenceId, signatureWindowMs } from '../../../inside/platform.js'
import { secondMs } from '../../../inside/values.js'

interface SignedKind {
  /** The sentence that rejects or allows the call, or an assumption; null: it is signed as usual. */
  about: AssumptionId | DocumentedSentenceId | null
  /** How far its timestamp is ahead of the platform's clock. */
  aheadSeconds?: number
}

const windowSeconds = signatureWindowMs / secondMs
/** Enough for the way of a call, and for two clocks that do not agree to the second. */
const nearlySeconds = windowSeconds - 10

/** `partly`: only the timestamp header is sent; `without_nonce`: all but the nonce; `in_ms`: the timestamp is in milliseconds; `repeated`: with the nonce of the call before. */
export const signedKinds = {
  rightly: { about: null },
  not: { about: 'signed-routes' },
  partly: { about: 'signed-routes' },
  without_nonce: { about: 'signed-routes' },
  stale: { about: 'timestamp-window', aheadSeconds: -2 * windowSeconds },
  stale_with_another_key: { about: 'signature_checks', aheadSeconds: -2 * windowSeconds },
  early: { about: 'timestamp-window', aheadSeconds: 2 * windowSeconds },
  nearly_stale: { about: 'timestamp-window', aheadSeconds: -nearlySeconds },
  nearly_early: { about: 'timestamp-window', aheadSeconds: nearlySeconds },
  in_ms: { about: 'signature-timestamp' },
  with_another_key: { about: 'signature-text' },
  with_bad_nonce: { about: 'signature_headers' },
  in_upper_case: { about: 'signature_headers' },
  repeated: { about: 'nonce_use' },
} as const satisfies Record<string, SignedKind>
export type Signed = keyof typeof signedKinds
export const signedKindOf = (signed: Signed): SignedKind => signedKinds[signed]

/** `stranger`: credentials that the platform does not know. */
export const callers = ['account', 'stranger', 'nobody'] as const
export type Caller = (typeof callers)[number]
