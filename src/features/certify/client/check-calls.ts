/** What is known about a client when the checks run, and the checks of its calls: tokens, signatures, amounts, `external_id`s, and how it handles what happens without it. */
import { headerOf } from '../../../inside/handlers.js'
import { type Endpoint, endpoints, errorCatalogue, requestHeaders, tokenLifeMs } from '../../../inside/platform.js'
import { isKeyOf, JsonNumber } from '../../../inside/values.js'
import { type Finding, fail, inconclusive, pass, skipped } from '../report/rules.js'
import { type ClientCall, isDone, isRenamed, isRetry, isSameCall } from './calls.js'
import type { InjectedFault } from './fault-injection.js'
import type { PayerSimulator } from './payer-simulator.js'
import { clientRules } from './rules.js'

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

/** The call with its answer, and what decided the answer instead of the platform. */
export function describeCall({ entry, status, errorCode, scenario }: ClientCall): string {
  const answer = status === 0 ? 'connection dropped' : `${status}${errorCode === null ? '' : ` ${errorCode}`}`
  const isByChaos = entry.chaos?.some((fault) => fault !== 'slow') === true
  const by = scenario !== null ? ' by a scenario' : isByChaos ? ' by chaos' : ''
  return `${entry.method} ${entry.path} (${entry.request_id}, ${answer}${by})`
}

/** A few tokens in parallel are allowed: a program may have several processes. */
const fewTokens = 2

export function reused({ calls, expiredMs }: ClientLog): Finding {
  const tokens = calls.filter((call) => isToken(call) && call.status === 200 && !isDropped(call))
  const others = calls.filter((call) => !isToken(call))
  if (others.length < 3) return inconclusive('too few calls to decide')
  const observed =
    tokens.length === 1 ? `1 token for ${others.length} calls` : `${tokens.length} tokens for ${others.length} calls`
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

/** A mistake of a call, and its fix, if the rule's own is about another mistake. */
interface Mistake {
  call: ClientCall
  what: string
  fix?: string | null
}

/** Mistakes of different kinds that one finding names. */
const maxKinds = 3

/** Names each kind of mistake with its first call; the fixes are those of these kinds. */
function failOf(mistakes: readonly Mistake[]): Finding {
  const kinds = [...new Map(mistakes.toReversed().map((one) => [one.what, one])).values()].toReversed()
  const shown = kinds.slice(0, maxKinds)
  const lines = shown.map(({ what, call }) => {
    const count = mistakes.filter((one) => one.what === what).length
    const where = count === 1 ? describeCall(call) : `${count} calls, first ${describeCall(call)}`
    return `${what}: ${where}`
  })
  const others = kinds.length - shown.length
  const fixes = [...new Set(shown.flatMap(({ fix }) => fix ?? []))]
  return fail(
    [...lines, ...(others === 0 ? [] : [`${others} other mistakes`])].join('; '),
    undefined,
    fixes.length === 0 ? undefined : fixes.join(' '),
  )
}

/** A call that is rejected for its token, or by another check of its signature, may not reach this one. */
const isChecked = ({ errorCode: code }: ClientCall): boolean =>
  code === null || !isKeyOf(errorCatalogue, code) || !['auth', 'signature'].includes(errorCatalogue[code].group)

const checkNotRefused =
  (...codes: readonly string[]) =>
  (log: ClientLog): Finding => {
    const signed = signedCalls(log)
    if (signed.length === 0) return noneSigned(log)
    const refused = signed.filter(({ errorCode }) => codes.includes(errorCode ?? ''))
    if (refused.length === 0) {
      const checked = signed.filter(isChecked)
      return checked.length === 0
        ? inconclusive('each call was rejected before this was checked')
        : pass(`${checked.length} signed calls`)
    }
    // The hint says which mistake it is, and what to do.
    return failOf(
      refused.map((call) => ({
        call,
        what: `rejected with ${call.errorCode}`,
        fix: call.signatureHint(),
      })),
    )
  }

export const signedBody = checkNotRefused('INVALID_SIGNATURE', 'MISSING_SIGNATURE')
export const signedNow = checkNotRefused('INVALID_TIMESTAMP')

export function freshNonce(log: ClientLog): Finding {
  const used = new Set<string>()
  const signed = signedCalls(log)
  if (signed.length === 0) return noneSigned(log)
  for (const call of signed) {
    const nonce = headerOf(call.entry, requestHeaders.nonce)
    if (nonce === undefined) continue
    if (used.has(nonce) || call.errorCode === 'REPLAY_DETECTED')
      return fail(`${describeCall(call)} reuses the nonce of an earlier call`)
    used.add(nonce)
  }
  return used.size === 0 ? inconclusive('no call carried a nonce') : pass(`${used.size} nonces`)
}

export function named({ calls }: ClientLog): Finding {
  const creations = calls.filter(({ endpoint }) => ['cashin', 'cashout', 'pixPayment'].includes(endpoint ?? ''))
  const unnamed = creations.filter(({ externalId }) => externalId === null)
  const reused = reusedIdIn(creations)
  if (reused !== undefined)
    return fail(
      `${describeCall(reused)} has external_id ${String(reused.externalId)}, which another payment already has`,
    )
  if (creations.length === 0) return inconclusive('no charge and no withdrawal')
  if (unnamed.length === 0) return pass(`${creations.length} calls`)
  return failOf(unnamed.map((call) => ({ call, what: unnamedText(call) })))
}

const unnamedText = ({ fields: { external_id: id } }: ClientCall) =>
  (id ?? null) === null ? 'no external_id' : `external_id ${writtenAs(id)} is not a string`

const writtenAs = (value: unknown) => (value instanceof JsonNumber ? value.text : JSON.stringify(value))

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
  const withAmount = calls.filter(({ fields }) => (fields.amount ?? null) !== null)
  const wrong = withAmount.flatMap((call) => wrongAmountOf(call) ?? [])
  if (withAmount.length === 0) return inconclusive('no call with an amount')
  return wrong.length === 0 ? pass(`${withAmount.length} amounts`) : failOf(wrong)
}

/** Returns null for an amount that the platform accepts. */
function wrongAmountOf(call: ClientCall): Mistake | null {
  const { amount } = call.fields
  const found = (what: string, fix: string) => ({ call, what: `amount ${writtenAs(amount)} ${what}`, fix })
  if (!(amount instanceof JsonNumber))
    return found('is not a JSON number', 'Send the amount as a number, not as a string.')
  if (call.errorCode !== 'INVALID_AMOUNT') return null
  if (Number(amount.text) <= 0)
    return found('is not greater than zero', 'Send only amounts that are greater than zero.')
  return found(`was rejected: ${call.brokenRule ?? call.errorCode}`, clientRules['amounts.decimal'].fix)
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
  const refused = after.find(({ endpoint }) => endpoint === 'infractionReply')
  if (refused !== undefined) return fail(`the reply was rejected: ${describeCall(refused)}`)
  const hasChecked = after.some(({ endpoint }) => endpoint === 'infractionList' || endpoint === 'infractionDetail')
  return hasChecked
    ? fail('the client read the dispute but did not reply')
    : inconclusive('the client did not look for disputes')
}
