/** Simulated receivers that answer, fail, hang, reset connections or answer late. The recorded attempts are the only evidence of deliveries. */
import { createHmac } from 'node:crypto'
import type { Send, SendRequest, SendResult } from '../../../src/core/unit/ports.js'
import { audit } from './audit.js'
import type { Chance } from './chance.js'
import { isKilledNow } from './disk.js'

export interface Attempt {
  id: string
  event: string
  url: string
  /** Business time. */
  atMs: number
  isAccepted: boolean
  body: string
  /** The positions of sending and response in one sequence of all attempts. */
  sentAs: number
  answeredAs: number
}

export interface Network {
  send: Send
  attempts: Attempt[]
  /** Faults of received webhooks. They are collected here, because the sender would handle an error as a failed delivery. */
  readonly faults: string[]
  /** Drops the responses to webhooks in flight, because the process that sent them is gone. */
  cut(): void
  /** A reset with a fixed seed gives the same ids again. */
  forget(): void
}

interface Clocks {
  nowMs(): number
  wallMs(): number
}

const answers: readonly [share: number, result: Omit<SendResult, 'detail'>][] = [
  [0.84, { outcome: 'ok', status: 200, responseBody: 'ok', durationMs: 3 }],
  [0.06, { outcome: 'http_error', status: 500, responseBody: 'no', durationMs: 3 }],
  [0.02, { outcome: 'http_error', status: 302, responseBody: '', durationMs: 2 }],
  [0.03, { outcome: 'timeout', status: null, responseBody: null, durationMs: 10_000 }],
  [0.03, { outcome: 'reset', status: null, responseBody: null, durationMs: 1 }],
  [0.02, { outcome: 'refused', status: null, responseBody: null, durationMs: 1 }],
]

const usualFailures = 0.16

/** `badReceivers` is the share of receivers that fail most of the time. */
export function simulatedNetwork(
  chance: Chance,
  clocks: Clocks,
  badReceivers: number,
  secretOf: (url: string) => string,
): Network {
  const bodies = new Map<string, string>()
  let era = 0
  let count = 0
  // A failure rate for each receiver: only a bad receiver makes events use all retries.
  const moods = new Map<string, number>()
  const moodOf = (url: string): number => {
    const mood = moods.get(url) ?? (chance.hit(badReceivers) ? 4 : 1)
    moods.set(url, mood)
    return mood
  }
  const network: Network = {
    attempts: [],
    faults: [],
    cut() {
      era++
    },
    forget: () => bodies.clear(),
    async send(request, progress) {
      // The process that sends is already dead.
      if (isKilledNow()) return new Promise(() => {})
      const startEra = era
      const { body, headers, url } = request
      const id = headers['X-Webhook-Id'] ?? ''
      network.faults.push(...faultsOf(request, secretOf(url), clocks.wallMs()))
      if (bodies.has(id) && bodies.get(id) !== body) network.faults.push(`${id} changed its body between two attempts`)
      bodies.set(id, body)
      const result = draw(chance, moodOf(url))
      const isAccepted = result.outcome === 'ok'
      const event = headers['X-Webhook-Event'] ?? ''
      const attempt = { id, event, url, atMs: clocks.nowMs(), isAccepted, body, sentAs: count++, answeredAs: Infinity }
      network.attempts.push(attempt)
      audit.webhook(request, isAccepted)
      // On a keep-alive connection the next webhook may follow before the response. Slow receivers must not delay other receivers.
      const [isKept, isSlow] = [chance.hit(0.5), chance.hit(0.1)]
      for (let turns = chance.int(4); turns >= 0; turns--) {
        if (isKept) progress?.sent()
        if (isSlow) progress?.slow()
        await new Promise(setImmediate)
      }
      if (startEra !== era) return new Promise(() => {})
      attempt.answeredAs = count++
      return { ...result, detail: null }
    },
  }
  return network
}

/** `mood` multiplies the usual share of failures. */
function draw(chance: Chance, mood: number): Omit<SendResult, 'detail'> {
  let left = chance.next() * (usualFailures * mood + 1 - usualFailures)
  for (const [share, result] of answers) {
    left -= result.outcome === 'ok' ? share : share * mood
    if (left < 0) return result
  }
  return answers[0]?.[1] as Omit<SendResult, 'detail'>
}

/** §6.1: returns the headers that differ from the documented ones, including signature and timestamp. */
function faultsOf({ headers, body }: SendRequest, secret: string, wallMs: number): string[] {
  const expected = {
    'X-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    'X-Webhook-Timestamp': String(Math.floor(wallMs / 1000)),
    'X-Sandbox': '1',
    'User-Agent': 'Service-Webhook/2.0',
    'Content-Type': 'application/json',
  }
  return Object.entries(expected)
    .filter(([name, value]) => headers[name] !== value)
    .map(([name, value]) => `a webhook has ${name} ${headers[name]} instead of ${value}`)
}
