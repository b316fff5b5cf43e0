/** Receivers that answer, refuse, hang, reset and take their time; what reached them is the only witness of what was delivered. */
import { createHmac } from 'node:crypto'
import type { Send, SendRequest, SendResult } from '../../../src/core/unit/send-port.js'
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
  /** When it went out and when it was answered, counted over all attempts. */
  sentAs: number
  answeredAs: number
}

export interface Network {
  send: Send
  attempts: Attempt[]
  /** What was wrong with what came: whoever sends must not be the one who hears of it. */
  readonly faults: string[]
  /** What was on the wire is answered to nobody: the process that sent it is gone. */
  cut(): void
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

/** `badReceivers`: the share of those that are down more often than not. */
export function simulatedNetwork(
  chance: Chance,
  clocks: Clocks,
  badReceivers: number,
  secretOf: (url: string) => string,
): Network {
  const bodies = new Map<string, string>()
  let era = 0
  let count = 0
  // Only where a receiver is down is the ladder walked to its end.
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
    async send(request, progress) {
      // The process that sends is gone already.
      if (isKilledNow()) return new Promise(() => {})
      const mine = era
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
      // On a kept connection the next may follow before this one is answered; some take so long that others must not wait for them.
      const [isKept, isSlow] = [chance.hit(0.5), chance.hit(0.1)]
      for (let turns = chance.int(4); turns >= 0; turns--) {
        if (isKept) progress?.sent()
        if (isSlow) progress?.slow()
        await new Promise(setImmediate)
      }
      if (mine !== era) return new Promise(() => {})
      attempt.answeredAs = count++
      return { ...result, detail: null }
    },
  }
  return network
}

/** `mood` says how many times more failures there are than usual. */
function draw(chance: Chance, mood: number): Omit<SendResult, 'detail'> {
  let left = chance.next() * (usualFailures * mood + 1 - usualFailures)
  for (const [share, result] of answers) {
    left -= result.outcome === 'ok' ? share : share * mood
    if (left < 0) return result
  }
  return answers[0]?.[1] as Omit<SendResult, 'detail'>
}

/** §6.1: the headers, the signature over the raw body, the timestamp of now. */
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
    .map(([name, value]) => `a webhook bears ${name} ${headers[name]}, not ${value}`)
}
