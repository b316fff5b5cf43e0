/** Asks the integrator's side what became of a transaction: `{"status": "confirmed", "credited": "25.50"}`. */
import { JsonNumber, parseJson } from '../../base/json.js'
import { readDecimal } from '../../base/money.js'
import type { Send } from '../../core/unit/send-port.js'

/** Nothing where nothing is known of the transaction. */
export interface Effect {
  status: string | null
  /** As it was written. */
  credited: string
  creditedParts: bigint
}

/** So many decimals that `19.990000000000002` is seen for what it is. */
const scale = 20
const nothing: Effect = { status: null, credited: '0', creditedParts: 0n }

export interface Effects {
  /** The effect once it is as wanted, or as it still is after three seconds. Throws `EffectsFault`. */
  until(transactionId: string, wanted: (effect: Effect) => boolean): Promise<Effect>
}

/** The effects cannot be read: nobody's rule is broken by that. */
export class EffectsFault extends Error {}

const patienceMs = 3000
const firstPauseMs = 10
const longestPauseMs = 200

interface EffectsOptions {
  send: Send
  url: string
  pause: (delayMs: number) => Promise<void>
  wallMs: () => number
  /** What is asked for, and must be told. */
  about: 'credited' | 'status'
}

/** Who failed to tell twice is not asked any more: silence takes ten seconds each time. */
const patientTries = 2

export function createEffects({ send, url, pause, wallMs, about }: EffectsOptions): Effects {
  let faults = 0
  let hasTold = false
  let lastFault = new EffectsFault('nobody has been asked yet')
  const read = async (transactionId: string): Promise<Effect> => {
    if (faults >= patientTries) throw lastFault
    try {
      return await ask(transactionId)
    } catch (error) {
      if (!(error instanceof EffectsFault)) throw error
      faults++
      lastFault = error
      return read(transactionId)
    }
  }
  const ask = async (transactionId: string): Promise<Effect> => {
    const asked = new URL(url)
    asked.searchParams.set('transaction_id', transactionId)
    const result = await send({ url: asked.href, method: 'GET', headers: { accept: 'application/json' }, body: '' })
    if (result.status === 404) return nothing
    if (result.outcome !== 'ok')
      throw new EffectsFault(
        result.status === null
          ? `the effects cannot be asked for: ${result.outcome}${result.detail === null ? '' : ` (${result.detail})`}`
          : `the effects were answered with ${result.status}`,
      )
    const effect = effectIn(result.responseBody ?? '', about)
    hasTold = true
    return effect
  }
  return {
    async until(transactionId, wanted) {
      const untilMs = wallMs() + patienceMs
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        const effect = await read(transactionId)
        if (wanted(effect)) return effect
        if (wallMs() >= untilMs) {
          // A 404 may mean an unknown transaction, or an address where nobody tells anything.
          if (!hasTold) throw new EffectsFault('the effects were answered with 404 for every transaction')
          return effect
        }
        await pause(pauseMs)
      }
    },
  }
}

function effectIn(text: string, about: EffectsOptions['about']): Effect {
  const { status = null, credited } = objectIn(text)
  if (status !== null && typeof status !== 'string') throw strange(text)
  if (credited === null || (credited === undefined && about === 'status')) return { ...nothing, status }
  const written = credited instanceof JsonNumber ? credited.text : credited
  const parts = typeof written === 'string' ? partsOf(written) : null
  if (typeof written !== 'string' || parts === null) throw strange(text)
  return { status, credited: written, creditedParts: parts }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text)
    // A system that knows nothing of a transaction may say so with null.
    if (value === null) return { credited: '0' }
    if (typeof value === 'object' && !Array.isArray(value) && !(value instanceof JsonNumber))
      return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw strange(text)
}

const strange = (text: string) =>
  new EffectsFault(`the effects are no answer of the documented shape: ${text.slice(0, 200)}`)

/** What may stand to a customer's credit after a confirmation: the amount, or what is left of it after the fee. */
export function creditsOf(data: Record<string, unknown>): bigint[] {
  return [data.amount, data.amount_net].flatMap((text) => (typeof text === 'string' ? (partsOf(text) ?? []) : []))
}

function partsOf(text: string): bigint | null {
  const decimal = readDecimal(text)
  return decimal === null || decimal.places > scale ? null : decimal.digits * 10n ** BigInt(scale - decimal.places)
}
