/** Repeats a recorded call and compares both answers: status, headers and every field. */
import { errorFormOf } from '../../../inside/control.js'
import { createBodyBudget, errorResponse, handleCall, toResponse, withRequestId } from '../../../inside/handlers.js'
import {
  ApiError,
  bodyLimits,
  currencies,
  endpoints,
  errorCatalogue,
  isCurrency,
  rates,
  responseHeaders,
} from '../../../inside/platform.js'
import { type Fields, fieldsIn, isKeyOf, JsonNumber, keysOf, minuteMs, parseAmount } from '../../../inside/values.js'
import type { RecordedCall } from '../har/recording.js'
import { signedKindOf } from '../probe/signed.js'
import type { Balances } from '../replay/balances.js'
import type { KnownPairs } from '../replay/known-pairs.js'
import type { Outside } from '../replay/outside.js'
import { toleranceFor } from '../replay/pace.js'
import { bodyOf } from '../replay/recorded-events.js'
import { type RecordedAnswer, type Requests, recordedAnswer } from '../replay/requests.js'
import type { Scratch } from '../replay/scratch.js'
import type { Findings } from './findings.js'
import { answerHeaderDifferences, answerHeaderPaths, plainDifference } from './headers.js'
import type { Scene, SignatureRow } from './judge.js'
import {
  codeBasis,
  idNames,
  idsIn,
  isWhole,
  listedDifference,
  noCode,
  notJson,
  outcomeDifference,
  roundedIn,
  statusDifference,
  textsIn,
  transactionIn,
  unfilteredIn,
  unknownPathDifferences,
  usernamesIn,
} from './rules.js'
import { answerShape, errorShapeFor } from './shapes.js'
import { compareBodies, type Difference } from './values.js'

/** The two sides of a comparison, and what is found. */
export interface Sides {
  scratch: Scratch
  pairs: KnownPairs
  balances: Balances
  outside: Outside
  findings: Findings
}

interface Parts extends Sides {
  requests: Requests
  /** Where the first webhook went; null if there is none. */
  hookUrl: string | null
}

/** Errors from outside the API's rules: the sandbox returns the same without executing the call. */
const outsideCodes = ['PROVIDER_ERROR', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR', 'RATE_LIMIT_EXCEEDED']
const onlyOfPlatform = 'balances are not compared, because the sandbox rejected a payment that the platform made'
const oldDispute = 'not compared: calls about a dispute whose charge is not in the recording'
const takeShare = createBodyBudget(bodyLimits.togetherBytes)

export class Answers {
  #hasSurplus = false
  /** Whether the newest signed call was executed. */
  #wasExecuted = false
  /** Chains that the platform rejects, with their currency. */
  readonly #rejectedChains = new Set<string>()
  /** The calls that were accepted, as text. */
  readonly #accepted = new Set<string>()
  /** What of the amounts so far had to be rounded so that another way of rounding would show. */
  readonly #rounded = new Set<string>()
  /** When the token calls of the last minute were made. */
  #tokenCalls: number[] = []

  constructor(readonly parts: Parts) {}

  nameOf = ({ method, path }: RecordedCall): string => `${method} ${path}`

  sceneOf(call: RecordedCall, fields: Fields = {}): Scene {
    const requestFields = bodyOf(call.body ?? '') ?? {}
    const currency = fields.currency ?? requestFields.currency ?? requestFields.base_currency ?? null
    return {
      exchange: call.number,
      name: call.endpoint ?? 'unknown_path',
      call: this.nameOf(call),
      currency,
      request: requestFields,
    }
  }

  add(difference: Difference, scene: Scene): void {
    const { findings, scratch } = this.parts
    findings.add(difference, scene, scratch.ws.config)
  }

  async compare(call: RecordedCall, body: Fields | null): Promise<void> {
    const { scratch, pairs, findings } = this.parts
    const answer = recordedAnswer(call.status, body)
    const isBare = keysOf(answer.details).length === 0
    const scene = { ...this.sceneOf(call, fieldsIn(body?.data)), isBare }
    const place = { exchange: call.number, call: scene.call, path: 'status', platform: call.status }
    if (call.endpoint === null) {
      const found = call.status === 404 ? unknownPathDifferences(call.path, fieldsIn(body?.error)) : []
      for (const one of found) this.add(one, scene)
      if (call.status === 404 && found.length === 0) findings.show({ path: 'error.details.path' }, ['value'], scene)
      if (call.status === 404 || call.status === 405) return
      return findings.unexplained('This address is not documented.', place)
    }
    const lost = [...textsIn(scene.request), ...call.url.searchParams.values()].find((text) => pairs.lost.has(text))
    if (lost !== undefined)
      return findings.unexplained('The call names an object that the sandbox did not create.', place)
    if (call.status >= 500 && (answer.code === null || !outsideCodes.includes(answer.code)))
      return findings.unexplained('The platform failed with an error that is not documented.', place)
    if (this.#isOfOldDispute(call, body)) return findings.leaveOut(call.number, oldDispute)
    this.#checkRate(call, answer, place)
    await this.#prepare(call, answer, body)
    const response = await this.#repeat(call, answer)
    if (answer.code === 'CREDENTIAL_INACTIVE') scratch.changeCredential({ active: true })
    const sandboxBody = bodyOf(await response.clone().text())
    this.#compareAnswers(call, { body, sandboxBody, response, answer }, scene)
    this.#keepInStep(body, sandboxBody)
  }

  /** The sandbox cannot have a dispute without its charge. */
  #isOfOldDispute({ endpoint, status }: RecordedCall, body: Fields | null): boolean {
    if ((endpoint !== 'infractionDetail' && endpoint !== 'infractionReply') || status >= 400) return false
    const { infraction_id: id, transaction_id: chargeId } = fieldsIn(body?.data)
    const isKnown = (one: unknown) => this.parts.pairs.inSandbox(String(one)) !== undefined
    return typeof id === 'string' && !isKnown(id) && !isKnown(chargeId)
  }

  /** Reports a call that is rejected below the documented rate. */
  #checkRate(
    { endpoint, startedMs }: RecordedCall,
    { code }: RecordedAnswer,
    place: Parameters<Findings['unexplained']>[1],
  ): void {
    if (endpoint !== 'token') return
    this.#tokenCalls = [...this.#tokenCalls.filter((ms) => ms > startedMs - minuteMs), startedMs]
    const { perMinute } = rates.token
    if (code !== 'RATE_LIMIT_EXCEEDED' || this.#tokenCalls.length > perMinute) return
    const about = `The platform rejects call ${this.#tokenCalls.length} within a minute; the documented rate is ${perMinute} a minute for each IP. Calls of other programs on the same IP count too.`
    this.parts.findings.unexplained(about, { ...place, platform: code })
  }

  /** Prepares what the platform knew before the call and the sandbox cannot know. */
  async #prepare(call: RecordedCall, { code, details }: RecordedAnswer, body: Fields | null): Promise<void> {
    const { scratch, pairs } = this.parts
    const requestFields = bodyOf(call.body ?? '') ?? {}
    const data = transactionIn(body)
    const url = requestFields.postback_url === undefined ? (data.postback_url ?? data.webhook_url) : undefined
    // Webhooks that arrive show that there is a URL.
    const isSent = data.postback_url === null && this.parts.outside.isReported(data.transaction_id)
    if (isSent) scratch.changeCredential({ postbackUrl: this.parts.hookUrl })
    else if (typeof url === 'string' || url === null) scratch.changeCredential({ postbackUrl: url })
    if (code === 'CREDENTIAL_INACTIVE') scratch.changeCredential({ active: false })
    if (code === null)
      for (const username of usernamesIn(requestFields))
        if (pairs.inSandbox(username) === undefined) await scratch.ensureAccount(username)
    if (code !== 'INSUFFICIENT_BALANCE') return
    const currency =
      requestFields.currency ?? requestFields.base_currency ?? (call.endpoint === 'pixPayment' ? 'BRL' : null)
    if (typeof currency !== 'string' || !isCurrency(currency)) return
    const { available } = details
    const text = available instanceof JsonNumber ? available.text : String(available ?? '0')
    const parsed = parseAmount(text, currencies[currency].scale)
    const before = scratch.availableMinor(currency)
    const minor = parsed.ok ? parsed.minor : 0n
    await scratch.setAvailable(currency, minor)
    this.parts.balances.shift(scratch.account.seq, currency, minor - before)
  }

  async #repeat(call: RecordedCall, answer: RecordedAnswer): Promise<Response> {
    const { scratch, requests } = this.parts
    const { code } = answer
    if (call.endpoint === null) throw new Error('only documented calls are repeated')
    if (code !== null && outsideCodes.includes(code) && isKeyOf(errorCatalogue, code)) {
      const error = errorResponse(new ApiError(code, answer.details), errorFormOf(scratch.ws.config))
      const response = toResponse(withRequestId(error, 'req_0'))
      // As the sandbox does at its own limits.
      if (code === 'RATE_LIMIT_EXCEEDED') response.headers.set(responseHeaders.retryAfter, '1')
      return response
    }
    const request = await requests.requestFor(call, answer)
    const memoryShare = takeShare()
    try {
      const rawTarget = new URL(request.url).pathname + new URL(request.url).search
      const env = { ip: '127.0.0.1', rawTarget, disconnect() {}, memoryShare }
      return toResponse(await handleCall(scratch.ws, call.endpoint, request, env))
    } finally {
      memoryShare.release()
    }
  }

  #compareAnswers(
    call: RecordedCall,
    { body, sandboxBody, response, answer }: Omit<Outcome, 'call' | 'ownCode'> & { body: Fields | null },
    scene: Scene,
  ): void {
    const { code: ownCode, details } = recordedAnswer(response.status, sandboxBody)
    const sceneWithCodes: Scene = {
      ...{ ...scene, details: ownCode === null ? answer.details : details },
      codes: { platform: answer.code, sandbox: ownCode, isUnauthorized: [401, 403].includes(call.status) },
      mistake: this.#mistakeOf(call),
      isRepeated: this.#accepted.has(`${call.endpoint} ${call.body}`),
    }
    if (call.status < 400) this.#accepted.add(`${call.endpoint} ${call.body}`)
    const outcome = { call, response, answer, ownCode, sandboxBody }
    if (call.status >= 400 !== response.status >= 400) this.#compareOutcomes(outcome, body, sceneWithCodes)
    // The media type, the code and the fields of a body that cannot be read differ for the same reason.
    else if (body === null && sandboxBody !== null) {
      if (call.status !== response.status) this.add(statusDifference(call, response, ownCode), sceneWithCodes)
      this.add(notJson, sceneWithCodes)
    } else if (answer.code === ownCode) this.#compareFields(outcome, body, sceneWithCodes)
    else this.#addCode(answer.code, ownCode, sceneWithCodes)
  }

  /** Compares two responses with the same code. */
  #compareFields(outcome: Outcome, body: Fields | null, scene: Scene): void {
    const { call, response, answer, ownCode, sandboxBody } = outcome
    const { findings, pairs, balances, scratch } = this.parts
    const ofHead = answerHeaderDifferences(call, response)
    if (call.status !== response.status) ofHead.unshift(statusDifference(call, response, ownCode))
    for (const one of ofHead) this.add(one, scene)
    findings.showOthers(['status', ...answerHeaderPaths], ofHead, scene)
    if (call.signed === 'rightly') for (const row of rightlySigned) findings.shown.add(row)
    if (body === null || call.endpoint === null) return
    const isError = call.status >= 400
    const comparing = {
      call: call.endpoint,
      ...{ pairs, balances },
      accountSeq: scratch.account.seq,
      isComplete: this.#isComplete(body, sandboxBody),
      toleranceMs: toleranceFor(body),
      predatesRecording: (id: string) => this.parts.outside.olderIds.has(id),
      unsure: (id: string) => this.parts.outside.unsure.get(id) ?? [],
      agree: (field: Parameters<Findings['agree']>[0]) => findings.agree(field, scene),
    }
    const shape = isError ? errorShapeFor(ownCode) : answerShape(call.endpoint)
    // The rest of a list that is not filtered differs for the same reason.
    const unfiltered = call.endpoint === 'transactionList' ? unfilteredIn(body, scene.request) : null
    const compared = unfiltered === null ? compareBodies(body, sandboxBody, shape, comparing) : [unfiltered]
    const hasOtherItems = compared.some(({ path }) => path === 'data.items[]')
    const listed = listedDifference(answer, scene.request, this.#rejectedChains)
    if (listed !== null) this.add(listed, scene)
    const isCaused = (path: string) =>
      (hasOtherItems && path.startsWith('data.pagination.total')) || (listed !== null && path.startsWith(listed.path))
    const found = compared.filter(({ path }) => !isCaused(path))
    const otherId = found.find(({ path, kind }) => kind === 'value' && createdIds.includes(path))
    if (otherId === undefined) for (const one of found) this.add(one, scene)
    if (!isError && !found.some(({ isMoney }) => isMoney)) this.#showAgreed(scene, fieldsIn(sandboxBody?.data))
    if (otherId === undefined) return
    // The other fields are those of another object.
    this.add({ ...otherId, ...this.#repeatBasis(call, otherId, scene) }, scene)
    scratch.newEvents()
  }

  /** Only one of the two rejects the call. */
  #compareOutcomes(outcome: Outcome, body: Fields | null, scene: Scene): void {
    const { pairs, balances, scratch } = this.parts
    const { call } = outcome
    const isRejected = call.status >= 400
    if (isRejected && body === null) this.add(notJson, scene)
    else this.#addOutcome(outcome, scene)
    if (isRejected) {
      // The sandbox executed what the platform rejected, so its balances and lists now differ.
      balances.forget()
      this.#hasSurplus = true
      scratch.newEvents()
      return
    }
    for (const id of idsIn(body)) if (pairs.inSandbox(id) === undefined) pairs.lost.add(id)
    if (call.endpoint !== null && 'hmac' in endpoints[call.endpoint]) balances.stopped ??= onlyOfPlatform
  }

  /** Both reject the call, with different codes. */
  #addCode(code: string | null, ownCode: string | null, scene: Scene): void {
    if (code === null) {
      this.add({ ...plainDifference('error.code', [undefined, ownCode], noCode), isInEveryMessage: true }, scene)
      return
    }
    this.add(plainDifference('error.code', [code, ownCode ?? undefined], codeBasis(ownCode)), scene)
    if (isKeyOf(errorCatalogue, code)) return
    // Under another name, an error still shows that the call is rejected.
    const codes = { platform: ownCode, sandbox: ownCode, isUnauthorized: false }
    this.parts.findings.show({ path: 'error.code' }, ['outcome'], { ...scene, codes })
  }

  /** What a whole answer shows that agrees: balances after events, and rounding. */
  #showAgreed(scene: Scene, data: Fields): void {
    const { findings, balances } = this.parts
    if (scene.name === 'balance' && balances.stopped === null)
      for (const name of findings.arrived.values()) findings.show({ path: 'balance' }, ['value'], { ...scene, name })
    const part = roundedIn(scene.name, data, this.parts.scratch.ws.config)
    if (part !== null && this.#rounded.add(part).size === 2) findings.shown.add('rounding')
  }

  /** A nonce is documented as used only after a call that was executed. */
  #mistakeOf({ endpoint, signed, status }: RecordedCall): SignatureRow | null {
    const wasExecuted = this.#wasExecuted
    if (endpoint !== null && 'hmac' in endpoints[endpoint]) this.#wasExecuted = status < 400
    if (signed === null || signed === 'rightly') return null
    return signed === 'repeated' && wasExecuted ? 'nonce-window' : signedKindOf(signed).about
  }

  /** What is documented about a call whose answer names another object than the sandbox's. */
  #repeatBasis({ endpoint }: RecordedCall, { platform }: Difference, { request }: Scene): Partial<Difference> {
    const { pairs } = this.parts
    const isNew = typeof platform === 'string' && pairs.inSandbox(platform) === undefined
    if (isNew) pairs.lost.add(platform)
    const { external_id: externalId } = fieldsIn(request)
    if (endpoint !== 'cashin' || !isNew || typeof externalId !== 'string') return {}
    return { ...idempotency, breaks: 'a call with the same external_id returns another transaction' }
  }

  /** One side executed the call, the other rejected it. */
  #addOutcome({ call, response, answer: { code }, ownCode, sandboxBody }: Outcome, scene: Scene): void {
    const difference = outcomeDifference(call, response, code, ownCode)
    const isUsed = code === 'DUPLICATE_EXTERNAL_ID'
    const isRepeat = idsIn(sandboxBody).some((id) => this.parts.pairs.inPlatform(id) !== undefined)
    const breaks = 'a call that repeats another is rejected'
    if (isUsed && !isRepeat)
      this.parts.findings.unexplained('The external_id was probably used before the recording.', {
        ...scene,
        ...difference,
      })
    else this.add(isUsed && call.endpoint === 'cashin' ? { ...difference, ...idempotency, breaks } : difference, scene)
  }

  /** Whether the page contains only objects of the recording, so that counts and order can be compared. */
  #isComplete(body: Fields, sandboxBody: Fields | null): boolean {
    const [one, other] = [fieldsIn(body.data).items, fieldsIn(sandboxBody?.data).items]
    if (!Array.isArray(one) || !Array.isArray(other)) return true
    if (this.#hasSurplus) return false
    const known = one
      .map(fieldsIn)
      .map(({ infraction_id: dispute, transaction_id: transaction }) => String(dispute ?? transaction))
    if (!known.every((id) => this.parts.pairs.inSandbox(id) !== undefined && !this.parts.outside.olderIds.has(id)))
      return false
    const [page, ownPage] = [body, sandboxBody].map((value) => fieldsIn(fieldsIn(value?.data).pagination))
    const isSame = (name: string) => JSON.stringify(page?.[name]) === JSON.stringify(ownPage?.[name])
    return isSame('page_size') && (isSame('total') || (isWhole(one, page) && isWhole(other, ownPage)))
  }

  /** Conversions name their transaction by another field than the list. */
  #keepInStep(body: Fields | null, sandboxBody: Fields | null): void {
    const [one, other] = [fieldsIn(body?.data), fieldsIn(sandboxBody?.data)]
    const { pairs } = this.parts
    for (const name of idNames) {
      const [platform, sandbox] = [one[name], other[name]]
      if (typeof platform !== 'string' || typeof sandbox !== 'string' || pairs.lost.has(platform)) continue
      if (pairs.inSandbox(platform) === undefined) pairs.pair(platform, sandbox)
    }
  }
}

interface Outcome {
  call: RecordedCall
  response: Response
  answer: RecordedAnswer
  ownCode: string | null
  sandboxBody: Fields | null
}

/** What the platform reads as documented if it accepts a signature. */
const rightlySigned = ['signature-text', 'signature-raw-body', 'signature-timestamp', 'signature-nonce'] as const

const idempotency = {
  documented: 'Idempotency key: resending the same value returns the same transaction',
  isAssumed: false,
  sentence: 'external-id-repeated',
} as const

const createdIds = ['data.wallet_id', 'data.transaction_id', 'data.conversion_id']
