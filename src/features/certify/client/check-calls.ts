/** What is known about a client when the checks run, and the checks of its calls: tokens, signatures, amounts, `external_id`s, and how it handles what happens without it. */
import { type Endpoint, endpoints, requestHeaders, tokenLifeMs } from '../../../inside/platform.js'
import { JsonNumber } from '../../../inside/values.js'
import { type Finding, fail, inconclusive, pass, skipped } from '../report/rules.js'
import { type ClientCall, headerOf, isDone, isRenamed, isRetry, isSameCall } from './calls.js'
import type { InjectedFault } from './fault-injection.js'
import type { PayerSimulator } from './payer-simulator.js'

export interface ClientLog {
  calls: readonly ClientCall[]
  injected: readonly InjectedFault[]
  /** Real times at which tokens were made to expire. */
  expiredMs: readonly number[]
  simulator: Pick<PayerSimulator, 'withdrawals' | 'paidMs' | 'dispute' | 'stateError' | 'statusOf'>
  /** How much of this time late timers can explain. */
  drift: { driftBetween(fromMs: number, toMs: number): number }
  /** Whether a state URL was given. */
  hasStateUrl: boolean
  /** Whether faults, payers and unknown fields were left out. */
  observe: boolean
  /** Whether the program exited with an error. */
  failed: boolean
}

const isToken = ({ endpoint }: ClientCall) => endpoint === 'token'
export const describeCall = ({ entry, status, errorCode, scenario }: ClientCall): string =>
  `${entry.method} ${entry.path} (${entry.request_id}, ${scenario === null ? `${status}${errorCode === null ? '' : ` ${errorCode}`}` : 'injected'})`

/** A few tokens in parallel are allowed: a program may have several processes. */
const fewTokens = 2

export function reused({ calls, expiredMs }: ClientLog): Finding {
  const tokens = calls.filter((call) => isToken(call) && call.status === 200 && !isDropped(call))
  const others = calls.filter((call) => !isToken(call))
  if (others.length < 3) return inconclusive('too few calls to decide')
  const observed = `${tokens.length} token${tokens.length === 1 ? '' : 's'} for ${others.length} calls`
  const renewals = tokens.filter((token, at) => isRenewal(tokens[at - 1], token, calls)).length
  const surplus = tokens.length - Math.max(renewals, expiredMs.length) - 1
  return surplus >= fewTokens && surplus >= others.length / 3 ? fail(observed) : pass(observed)
}

const isDropped = ({ entry: { chaos = [] } }: ClientCall) => chaos.includes('dropped_response')

/** Whether the earlier token had expired: a call was rejected, or half of its life had passed on the sandbox's clock. */
function isRenewal(before: ClientCall | undefined, token: ClientCall, calls: readonly ClientCall[]): boolean {
  if (before === undefined) return false
  if (token.answeredMs - before.answeredMs > tokenLifeMs / 2) return true
  const between = calls.slice(calls.indexOf(before), calls.indexOf(token))
  return between.some(({ errorCode }) => errorCode === 'TOKEN_EXPIRED')
}

/** Whether it is the same call, `repeat.same` judges. */
const repeats = (call: ClientCall, refused: ClientCall) =>
  [isSameCall, isRetry, isRenamed].some((is) => is(call, refused))

export function renewed({ calls, expiredMs: [expired] }: ClientLog): Finding {
  if (expired === undefined) return inconclusive('no token has expired')
  const after = calls.filter((call) => call.arrivedMs >= expired)
  const refused = after.find(({ errorCode }) => errorCode === 'TOKEN_EXPIRED')
  if (refused === undefined)
    return after.some((call) => !isToken(call))
      ? pass('the token was renewed before it was rejected')
      : inconclusive('no call was made after the token expired')
  const later = after.slice(after.indexOf(refused) + 1)
  const again = later.filter((call) => repeats(call, refused))
  if (!later.some(isToken)) return fail(`no token was fetched after ${describeCall(refused)}`)
  if (again.length === 0) return fail(`${describeCall(refused)} was not repeated with the new token`)
  if (again[0]?.errorCode === 'TOKEN_EXPIRED') return fail(`${describeCall(refused)} was repeated with the old token`)
  return pass('one new token was requested and the call repeated')
}

const isSigned = ({ hmac }: Endpoint) => hmac === true
const signedCalls = ({ calls }: ClientLog) =>
  calls.filter(({ endpoint }) => endpoint !== null && isSigned(endpoints[endpoint]))

/** A program that ended with an error might have signed a call later. */
const noneSigned = ({ failed }: ClientLog): Finding =>
  failed
    ? inconclusive('no call that requires a signature')
    : skipped('the program made no call that requires a signature')

const checkNotRefused =
  (...codes: readonly string[]) =>
  (log: ClientLog): Finding => {
    const signed = signedCalls(log)
    if (signed.length === 0) return noneSigned(log)
    const [first, ...more] = signed.filter(({ errorCode }) => codes.includes(errorCode ?? ''))
    if (first === undefined) return pass(`${signed.length} signed calls`)
    const share = `${more.length + 1} of ${signed.length} signed calls were rejected with ${codes.join(' or ')}`
    return fail(`${share}, first ${describeCall(first)}`)
  }

export const signedBody = checkNotRefused('INVALID_SIGNATURE', 'MISSING_SIGNATURE')
export const signedNow = checkNotRefused('INVALID_TIMESTAMP')

export function freshNonce(log: ClientLog): Finding {
  const used = new Set<string>()
  for (const call of signedCalls(log)) {
    const nonce = headerOf(call.entry, requestHeaders.nonce)
    if (nonce === undefined) continue
    if (used.has(nonce)) return fail(`${describeCall(call)} reuses the nonce of an earlier call`)
    used.add(nonce)
  }
  return used.size === 0 ? noneSigned(log) : pass(`${used.size} nonces`)
}

export function named({ calls }: ClientLog): Finding {
  const creations = calls.filter(({ endpoint }) => ['cashin', 'cashout', 'pixPayment'].includes(endpoint ?? ''))
  const [first, ...more] = creations.filter(({ externalId }) => externalId === null)
  const reused = reusedIdIn(creations)
  if (reused !== undefined)
    return fail(
      `${describeCall(reused)} has external_id ${String(reused.externalId)}, which another payment already has`,
    )
  if (creations.length === 0) return inconclusive('no charge and no withdrawal')
  if (first === undefined) return pass(`${creations.length} calls`)
  const share = `${more.length + 1} of ${creations.length} ${creations.length === 1 ? 'call has' : 'calls have'}`
  return fail(`${share} no external_id, first ${describeCall(first)}`)
}

/** A repetition follows a failure and has the same content; what follows a success with another content is another payment. */
function reusedIdIn(creations: readonly ClientCall[]): ClientCall | undefined {
  const made = new Map<string, ClientCall>()
  for (const call of creations) {
    const { externalId } = call
    if (externalId === null) continue
    const earlier = made.get(externalId)
    if (earlier === undefined) {
      if (isDone(call)) made.set(externalId, call)
    } else if (JSON.stringify(earlier.fields) !== JSON.stringify(call.fields)) return call
  }
  return undefined
}

export function decimal({ calls }: ClientLog): Finding {
  const withAmount = calls.filter(({ fields }) => fields.amount !== undefined)
  const wrong = withAmount.find(
    ({ fields, errorCode }) => !(fields.amount instanceof JsonNumber) || errorCode === 'INVALID_AMOUNT',
  )
  if (withAmount.length === 0) return inconclusive('no call with an amount')
  if (wrong === undefined) return pass(`${withAmount.length} amounts`)
  const { amount } = wrong.fields
  return fail(`${amount instanceof JsonNumber ? amount.text : JSON.stringify(amount)} in ${describeCall(wrong)}`)
}

/** A client that cannot handle an answer stops there: its last call is then its first one of that endpoint. */
export function moreFields({ calls, observe, failed }: ClientLog): Finding {
  if (observe) return inconclusive('no response with unknown fields was sent')
  const last = calls.at(-1)
  const isFirst = last !== undefined && !calls.slice(0, -1).some(({ endpoint }) => endpoint === last.endpoint)
  if (failed && isFirst && isDone(last)) return fail(`the client failed after the response to ${describeCall(last)}`)
  const answered = calls.filter((call) => !isToken(call) && call.status < 300)
  return answered.length === 0
    ? inconclusive('only token requests got a response')
    : pass(`${answered.length} responses`)
}

const noWithdrawal = inconclusive('the client made no such withdrawal')
const noState = inconclusive('no state was read')

type OutcomeCheck = (log: ClientLog) => Finding | Promise<Finding>

/** A program that ended with an error may not have come to what it does last. */
const reachable =
  (check: OutcomeCheck): OutcomeCheck =>
  async (log) => {
    const finding = await check(log)
    return log.failed && finding.result === 'failed' ? inconclusive(finding.observed) : finding
  }

export async function withdrawalPending({ simulator, hasStateUrl: hasState }: ClientLog): Promise<Finding> {
  const [first] = simulator.withdrawals
  if (first === undefined) return noWithdrawal
  if (simulator.stateError !== null) return inconclusive(simulator.stateError)
  if (!hasState) return noState
  const isConfirmedTooEarly = ['confirmed', 'completed'].includes(first.statusWhilePending ?? '')
  const observed = `your state reported ${first.id} as ${first.statusWhilePending ?? 'unknown'} while it was pending`
  return isConfirmedTooEarly ? fail(observed) : pass(observed)
}

/** Builds the check of the status that the application reports for the withdrawal with this end. */
const checkEnd =
  (end: 'failed' | 'refunded') =>
  async ({ simulator, hasStateUrl: hasState }: ClientLog): Promise<Finding> => {
    const one = simulator.withdrawals.find((withdrawal) => withdrawal.end === end)
    if (one === undefined) return noWithdrawal
    if (!hasState) return noState
    if (one.refusal !== null) return inconclusive(`the sandbox could not make ${one.id} ${end}: ${one.refusal}`)
    const status = await simulator.statusOf(one.id, (now) => now === end)
    if (simulator.stateError !== null) return inconclusive(simulator.stateError)
    const observed = `the final state of ${one.id} is ${status ?? 'unknown'}`
    return status === end ? pass(observed) : fail(observed)
  }

export const withdrawalFailed = reachable(checkEnd('failed'))
export const withdrawalRefunded = reachable(checkEnd('refunded'))

export const missedFound = reachable(({ simulator, calls }) => {
  const [first] = simulator.paidMs
  if (first === undefined) return inconclusive('no charge was paid')
  const lists = calls.filter(({ endpoint, arrivedMs }) => endpoint === 'transactionList' && arrivedMs >= first)
  const paid = `${simulator.paidMs.length} charges were paid, but the transaction list was`
  if (lists.length === 0) return fail(`${paid} not read`)
  return lists.some(({ fields: { type } }) => type === undefined || type === null || type === 'cashin')
    ? pass('the transaction list was read')
    : fail(`${paid} read only for other types (${String(lists[0]?.fields.type)})`)
})

export function disputeAnswered({ simulator: { dispute }, calls }: ClientLog): Finding {
  if (dispute === null) return inconclusive('there was no dispute')
  const after = calls.filter(({ arrivedMs }) => arrivedMs >= dispute.openedMs)
  if (after.some(({ endpoint, status }) => endpoint === 'infractionReply' && status < 300))
    return pass('the client replied')
  const hasChecked = after.some(({ endpoint }) => endpoint === 'infractionList' || endpoint === 'infractionDetail')
  return hasChecked
    ? fail('the client read the dispute but did not reply')
    : inconclusive('the client did not look for disputes')
}
