/** Asks the integrator's application what it did with a transaction: `{"status": "confirmed", "credited": "25.50"}`. */
import { fieldsOfJson, JsonNumber, parseJson, readDecimal } from '../../../inside/values.js'
import type { Workspace } from '../../../inside/workspace.js'
import { stateWaitMs } from './timing.js'

/** The state of an unknown transaction has no status and a credit of 0. */
export interface TransactionState {
  status: string | null
  /** The amount as the application wrote it. */
  credited: string
  creditedParts: bigint
}

/** Enough decimals to detect floating-point artifacts such as `19.990000000000002`. */
const scale = 20
const unknownTransaction: TransactionState = { status: null, credited: '0', creditedParts: 0n }

/** The field of a report that says why the state could not be read. */
export const stateErrorOf = (reader: StateReader | null): { state_error?: string } =>
  reader === null || reader.fault === null ? {} : { state_error: reader.fault.message }

/** The state cannot be read. The rule is then inconclusive, not failed. */
export class StateUnavailable extends Error {}

const firstPauseMs = 10
const longestPauseMs = 200

/** Number of failures in a row after which the state URL is not called again, because each timeout takes ten seconds. */
const maxFaults = 2

export class StateReader {
  /** Why the state cannot be read; null while it can. */
  fault: StateUnavailable | null = null
  readonly #durationsMs: number[] = []
  #hasAnswered = false

  constructor(
    readonly ws: Workspace,
    readonly url: string,
    /** The field that the checks need. `credited` may be missing only if this is `status`. */
    readonly requiredField: 'credited' | 'status',
  ) {}

  /** The usual response time of the state URL. */
  usualMs = (): number => medianOf(this.#durationsMs)

  /** Polls until the state is as wanted or the time is over; returns the last state. Throws `StateUnavailable`. */
  async waitFor(transactionId: string, isWanted: (effect: TransactionState) => boolean): Promise<TransactionState> {
    const { clock, callAfter } = this.ws
    const untilMs = clock.wall() + stateWaitMs
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      // The last reading begins after the time is over, however late it is.
      const isLast = clock.wall() >= untilMs
      const state = await this.#read(transactionId)
      if (isWanted(state)) return state
      if (isLast) {
        // A 404 means an unknown transaction, or a URL that does not report states at all.
        if (this.#hasAnswered) return state
        this.fault ??= new StateUnavailable('the state URL answered every request with 404')
        throw this.fault
      }
      await new Promise<void>((resolve) => void callAfter(pauseMs, resolve))
    }
  }

  async #read(transactionId: string, triesLeft = maxFaults): Promise<TransactionState> {
    if (this.fault !== null) throw this.fault
    try {
      return await this.#fetch(transactionId)
    } catch (error) {
      if (!(error instanceof StateUnavailable)) throw error
      if (triesLeft > 1) return this.#read(transactionId, triesLeft - 1)
      this.fault ??= error
      throw this.fault
    }
  }

  async #fetch(transactionId: string): Promise<TransactionState> {
    const address = new URL(this.url)
    address.searchParams.set('transaction_id', transactionId)
    const request = { url: address.href, method: 'GET', headers: { accept: 'application/json' }, body: '' } as const
    const { durationMs, status, outcome, detail, responseBody } = await this.ws.send(request)
    this.#durationsMs.push(durationMs)
    if (status === 404) return unknownTransaction
    if (status === null)
      throw new StateUnavailable(`the state URL cannot be read: ${outcome}${detail === null ? '' : ` (${detail})`}`)
    if (outcome !== 'ok')
      throw new StateUnavailable(errorIn(responseBody ?? '') ?? `the state URL answered with ${status}`)
    const state = parseState(responseBody ?? '', this.requiredField)
    this.#hasAnswered = true
    return state
  }
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** The field in which a command or function of the integrator says why it failed. */
export const stateErrorField = 'state_error'

function errorIn(text: string): string | null {
  const why = fieldsOfJson(text)?.[stateErrorField]
  return typeof why === 'string' ? `the state could not be read: ${why}` : null
}

function parseState(text: string, about: StateReader['requiredField']): TransactionState {
  if (text.trim() === 'null') return unknownTransaction
  const { status = null, credited = about === 'status' ? null : undefined } = fieldsOfJson(text, parseJson) ?? {}
  const written = credited instanceof JsonNumber ? credited.text : credited === null ? '0' : credited
  const parts = typeof written === 'string' ? partsOf(written) : null
  if (typeof written === 'string' && parts !== null && (status === null || typeof status === 'string'))
    return { status, credited: written, creditedParts: parts }
  throw new StateUnavailable(`the state URL answered in an unknown format: ${text.slice(0, 200)}`)
}

/** Returns the credits that are correct after a confirmation: the amount, and the amount minus the fee. */
export function expectedCreditsOf(data: Record<string, unknown>): bigint[] {
  return [data.amount, data.amount_net].flatMap((text) => (typeof text === 'string' ? (partsOf(text) ?? []) : []))
}

/** Whether a credit has digits after the last decimal of the amount, as floats produce them. */
export function isInexact({ creditedParts }: TransactionState, amount: string): boolean {
  const places = readDecimal(amount)?.places ?? scale
  return places < scale && creditedParts % 10n ** BigInt(scale - places) !== 0n
}

export function partsOf(text: string): bigint | null {
  const decimal = readDecimal(text)
  return decimal === null || decimal.places > scale ? null : decimal.digits * 10n ** BigInt(scale - decimal.places)
}
