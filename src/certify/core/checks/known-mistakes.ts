/** Known signing mistakes, one row each: how to sign an event so that a receiver with this mistake accepts it. */
import { hmacHex } from '../../../base/crypto.js'
import { credentialForEvents, requireAccount } from '../../../core/auth/account.js'
import { demoCredential } from '../../../core/auth/demo-secrets.js'
import { webhookHeaders } from '../../../protocol/platform/headers.js'
import { receiverRules } from '../../protocol/receiver-rules.js'
import type { CheckContext } from '../check-context.js'
import { type AttemptOptions, base64OfHex, isOk } from '../event-sender.js'
import { merchant } from '../test-events.js'

interface KnownMistake {
  observed: string
  /** Without it, the fix depends on the response. */
  fix?: string
  options: (signed: Signed) => AttemptOptions
}

interface Signed {
  body: string
  /** The correct signature. */
  right: string
  secret: string
  nowSeconds: number
  credential: { signingKey: string; clientSecret: string } | undefined
}

const wrongKey = (name: string) => `Use webhook_secret as the key, not ${name}; payments-sandbox env prints both.`

const knownMistakes: readonly KnownMistake[] = [
  {
    observed: 'it accepts the event with a timestamp in milliseconds; §6.1 requires seconds',
    fix: `Compare ${webhookHeaders.timestamp} with the current time in seconds, not in milliseconds.`,
    options: ({ nowSeconds }) => ({ timestamp: String(nowSeconds * 1000) }),
  },
  {
    observed: `it accepts the event without ${webhookHeaders.sandbox}`,
    fix: `The receiver runs in production mode: certify it in this mode, or let it accept ${webhookHeaders.sandbox}: 1 in tests.`,
    options: () => ({ sandbox: false }),
  },
  {
    observed: 'it accepts the signature as base64; §6.1 requires hex',
    fix: 'Compare the header with the HMAC as lower-case hex, not as base64.',
    options: ({ right }) => ({ signature: base64OfHex(right) }),
  },
  {
    observed: 'it accepts the signature with the prefix "sha256="; §6.1 requires hex without a prefix',
    fix: 'Compare the whole header with the hex digits; there is no prefix to remove.',
    options: ({ right }) => ({ signature: `sha256=${right}` }),
  },
  {
    observed: 'it accepts the signature in upper case',
    fix: 'Compare the header with the HMAC as lower-case hex.',
    options: ({ right }) => ({ signature: right.toUpperCase() }),
  },
  {
    observed: 'it accepts a signature over timestamp and body; §6.1 signs only the body',
    fix: 'Compute the HMAC over the raw body alone, without the timestamp.',
    options: ({ secret, nowSeconds, body }) => ({ signature: hmacHex(secret, `${nowSeconds}.${body}`) }),
  },
  {
    observed:
      'it accepts a signature over the body with spaces after colons and commas: it parses the body and serializes it again',
    fix: receiverRules['accept.raw-body'].fix,
    options: ({ secret, body }) => ({ signature: hmacHex(secret, withSpaces(body)) }),
  },
  {
    observed: 'it uses signing_key as the key; webhooks are signed with webhook_secret',
    fix: wrongKey('signing_key'),
    options: ({ credential }) => ({ secret: credential?.signingKey ?? '' }),
  },
  {
    observed: 'it uses client_secret as the key; webhooks are signed with webhook_secret',
    fix: wrongKey('client_secret'),
    options: ({ credential }) => ({ secret: credential?.clientSecret ?? '' }),
  },
  {
    observed: 'it accepts a signature with the demonstration secret',
    fix: 'Configure the receiver with the current webhook_secret, which payments-sandbox env prints.',
    options: () => ({ secret: demoCredential(merchant).webhookSecret }),
  },
  { observed: 'it accepts the event without a signature', options: () => ({ signature: null }) },
]

/** Returns the mistake whose event the receiver accepts. */
export async function findKnownMistake(context: CheckContext): Promise<KnownMistake | undefined> {
  const { sender, testEvents, workspace: ws } = context
  const { secret } = sender
  const credential = credentialForEvents(ws.db, requireAccount(ws.db, merchant).seq, null)
  for (const mistake of knownMistakes) {
    const event = await testEvents.payCharge()
    const right = hmacHex(secret, event.body)
    const signed = { body: event.body, right, secret, nowSeconds: sender.nowSeconds(), credential }
    if (isOk(await sender.send(event, mistake.options(signed)))) return mistake
  }
  return undefined
}

/** Writes JSON as Python's `json.dumps` does. No string in an event contains these pairs of characters. */
export const withSpaces = (body: string): string => body.replaceAll('":', '": ').replaceAll(',"', ', "')
