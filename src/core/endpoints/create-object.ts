/**
 * Creates an object without a call, through the API's own code: for scenarios, for sample data, and for a trigger that
 * needs one in a state that allows its action. Missing fields get defaults, typical for the rail and valid with the
 * parameters of the action.
 */
import { JsonNumber } from '../../base/json.js'
import { isKeyOf } from '../../base/keys.js'
import { formatAmount, parseAmount } from '../../base/money.js'
import {
  type ActionName,
  type ActionRequirement,
  hasUsualAmount,
  requirementsOfAction,
} from '../../protocol/actions/actions.js'
import { type CreationStepName, stepsBefore } from '../../protocol/actions/creation-steps.js'
import {
  type Currency,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  type Network,
} from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import {
  type CashoutFailure,
  type CashoutRoute,
  canFail,
  cashoutFailures,
  cashoutRoutes,
  failuresOn,
} from '../../protocol/platform/failures.js'
import { railOf } from '../../protocol/rails/index.js'
import { newUuid } from '../../protocol/rails/pix-key.js'
import { type Creatable, creatable } from '../../protocol/scenario/values.js'
import type { ObjectRef } from '../../store/columns.js'
import { listAccounts } from '../auth/account.js'
import { type Account, credentialForEvents } from '../auth/authenticate.js'
import { subjectId } from '../operations/transition.js'
import { checkParams, requireAction, type TriggerResult, trigger } from '../operations/trigger.js'
import { idSourceOf, type Unit } from '../unit/unit.js'
import { type Fields, objectRefOf, prepareCall } from './validate.js'

/** Creates the object. Uses `externalId` if it is required and `fields` has none. Throws the errors of the endpoint. */
export function createObject(
  unit: Unit,
  account: Account,
  kind: Creatable,
  fields: Fields,
  externalId: () => string,
): ObjectRef {
  const credential = credentialForEvents(unit.db, account.seq, null) ?? null
  // The conversion of an object is an object.
  const body = withJsonNumbers(fields) as Fields
  if (needsExternalId(kind) && body.external_id === undefined) body.external_id = externalId()
  return objectRefOf(kind, prepareCall(unit, { account, credential }, kind, body)())
}

function needsExternalId(kind: Creatable): boolean {
  // Only some of the schemas have the field.
  const { external_id: field } = creatable[kind]().shape as Record<string, { isOptional?: () => boolean } | undefined>
  return field !== undefined && field.isOptional?.() === false
}

const decimal = /^\d+(\.\d+)?$/

/** Converts values as if they were parsed from JSON: numbers, and amounts given as text, become `JsonNumber`. */
function withJsonNumbers(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return new JsonNumber(String(value))
  if (typeof value === 'string')
    return /^(amount|percentage)$/.test(key) && decimal.test(value) ? new JsonNumber(value) : value
  if (Array.isArray(value)) return value.map((item) => withJsonNumbers(item))
  if (value === null || typeof value !== 'object' || value instanceof JsonNumber) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withJsonNumbers(item, name)]))
}

/** One step before the action, such as `cashin.create` or `cashin.pay`. */
interface CreationStep {
  action: CreationStepName
  id: string
}

interface TriggerOnNewResult extends TriggerResult {
  created: CreationStep[]
}

/**
 * `fields` describe the object as in an API call; omitted fields get defaults. The currency is chosen so that `params` are
 * valid. `owner` is the first account by default.
 * Throws the error of the API call or of a step; the caller then rolls back all changes.
 */
export function triggerOnNewObject(
  unit: Unit,
  action: string,
  fields: Fields,
  givenParams: Fields,
  owner?: Account,
): TriggerOnNewResult {
  const name = requireAction(action)
  const params = withDefaultParams(name, fields, givenParams)
  const { create: kind, actions } = stepsBefore(name)
  const account = owner ?? listAccounts(unit.db)[0]
  if (account === undefined) throw new ApiError('NOT_FOUND', { object: 'account' })
  const completeFields = withDefaultFields(unit, account, kind, fields, { name, params: checkParams(name, params) })
  const ref = createObject(unit, account, kind, completeFields, () => newUuid(unit.ids.draw('external-id')))
  const created: CreationStep[] = [{ action: `${kind}.create`, id: ref.id }]
  let { id } = ref
  for (const step of actions) {
    id = subjectId(trigger(unit, step, id, {}).subject)
    created.push({ action: step, id })
  }
  return { ...trigger(unit, name, id, params), created }
}

const [usualCurrency = 'BRL', secondCurrency = 'USDT'] = currencyNames

const currencyIn = (fields: Fields, name: string, otherwise: Currency): Currency => {
  const current = fields[name]
  return isCurrency(current) ? current : otherwise
}

interface NewObject {
  unit: Unit
  account: Account
  fields: Fields
  requirements: ActionRequirements
}

const defaultFieldsFor: Record<Creatable, (newObject: NewObject) => Fields> = {
  cashin({ fields, requirements }) {
    const { currency, chain } = chargeRoute(fields)
    return { amount: amountFor(currency, fields, requirements), currency, ...chain }
  },
  cashout({ unit, fields, requirements }) {
    const { currency, network } = routeFor(fields, requirements)
    return {
      amount: amountFor(currency, fields, requirements),
      currency,
      ...(network === null ? {} : { network }),
      ...(fields.key === undefined ? { key: railOf(currency).newDestination(idSourceOf(unit), network) } : {}),
    }
  },
  wallet({ fields }) {
    const { currency, chain } = chargeRoute(fields)
    return { currency, ...chain }
  },
  transfer({ unit, account, fields }) {
    const currency = currencyIn(fields, 'currency', usualCurrency)
    const other = listAccounts(unit.db).find((one) => one.seq !== account.seq)
    return {
      amount: currencies[currency].usualAmount,
      currency,
      ...(other === undefined ? {} : { username: other.username }),
    }
  },
  conversion({ fields }) {
    const base = currencyIn(fields, 'base_currency', usualCurrency)
    return {
      amount: currencies[base].usualAmount,
      base_currency: base,
      destination_currency: base === usualCurrency ? secondCurrency : usualCurrency,
    }
  },
}

/** Without a currency, `chain` selects the first currency on that chain. */
function chargeRoute(fields: Fields): { currency: Currency; chain: { chain?: Network } } {
  const moves = (one: Currency) => chainsOf(one).some((chain) => chain === fields.chain)
  const currency = currencyIn(fields, 'currency', currencyNames.find(moves) ?? usualCurrency)
  const [chain] = chainsOf(currency)
  return { currency, chain: chain === undefined ? {} : { chain } }
}

/** Returns the usual amount, or the amount that the action requires if the usual one does not allow the action. */
function amountFor(currency: Currency, fields: Fields, { amount, minAmount: part }: ActionRequirements): string {
  const { usualAmount, scale } = currencies[currency]
  const minorOf = (text: unknown) => {
    const parsed = parseAmount(String(text), scale)
    return parsed.ok ? parsed.minor : null
  }
  const requiredAmount = railOf(currency).isPaidExactly ? (amount ?? part) : part
  const wantedMinor = requiredAmount === undefined ? null : minorOf(requiredAmount)
  // An invalid amount is rejected by the action later.
  if (wantedMinor === null) return usualAmount
  const isExact = requiredAmount === amount
  if (fields.amount !== undefined) {
    const givenMinor = minorOf(fields.amount)
    if (givenMinor === null || (isExact ? wantedMinor === givenMinor : wantedMinor <= givenMinor)) return usualAmount
    const rule = isExact
      ? 'such a charge must be paid in the exact amount'
      : 'a partial amount must not exceed the whole amount'
    throw contradictionError('amount', requiredAmount, 'fields.amount', fields.amount, rule)
  }
  const usualMinor = minorOf(usualAmount)
  return isExact || usualMinor === null || wantedMinor > usualMinor ? formatAmount(wantedMinor, scale) : usualAmount
}

/** Adds the parameters that an action requires, except on an object that is created for it. */
function withDefaultParams(name: ActionName, fields: Fields, params: Fields): Fields {
  return hasUsualAmount(name) && params.amount === undefined
    ? { ...params, amount: currencies[chargeRoute(fields).currency].usualAmount }
    : params
}

/** Merges `fields` over the defaults; `for` names the action that follows and its parameters. */
export function withDefaultFields(
  unit: Unit,
  account: Account,
  kind: Creatable,
  fields: Fields,
  followingAction?: { name: ActionName; params: Fields },
): Fields {
  const requirements =
    followingAction === undefined
      ? {}
      : requirementsOf(requirementsOfAction(followingAction.name), followingAction.params)
  return { ...defaultFieldsFor[kind]({ unit, account, fields, requirements }), ...fields }
}

interface ActionRequirements {
  /** Exactly this amount, if the rail requires the exact amount. */
  amount?: string
  minAmount?: string
  failure?: CashoutFailure
}

/** Collects the requirements of `params`, which have passed the schema of the action. */
function requirementsOf(asks: Readonly<Record<string, ActionRequirement>>, params: Fields): ActionRequirements {
  const requirements: ActionRequirements = {}
  for (const [name, ask] of Object.entries(asks)) {
    const value = params[name]
    if (value === undefined || value === null) continue
    const text = String(value)
    if (ask === 'paid') requirements.amount = text
    else if (ask === 'part') requirements.minAmount = text
    else if (isKeyOf(cashoutFailures, text)) requirements.failure = text
  }
  return requirements
}

/** Returns 422 INVALID_VALUE with a message that names both fields. */
function contradictionError(field: string, value: unknown, other: string, params: unknown, rule: string): ApiError {
  const message = `${field} ${String(value)} contradicts ${other} ${String(params)}: ${rule}.`
  return new ApiError('INVALID_VALUE', { field, rule, contradicts: other }, message)
}

const [usualRoute = { currency: 'BRL', network: null } as const] = cashoutRoutes

/** Returns the first route that fits the given fields and the failure; throws 422 if they contradict each other. */
function routeFor(fields: Fields, { failure }: ActionRequirements): CashoutRoute {
  const ofCurrency = cashoutRoutes.filter(
    ({ currency }) => !isCurrency(fields.currency) || currency === fields.currency,
  )
  const fitting = ofCurrency.filter(({ network }) => (fields.network ?? network) === network)
  // A network that the currency does not have is rejected by the API later.
  const [first = usualRoute] = [...fitting, ...ofCurrency]
  if (failure === undefined) return first
  const route = fitting.find((one) => canFail(failure, one))
  if (route !== undefined || fitting.length === 0) return route ?? first
  const name = ofCurrency.some((one) => canFail(failure, one)) ? 'network' : 'currency'
  const rule = `${failure} is possible ${describeRoutes(failure)}; such a withdrawal can fail with ${failuresOn(first).join(', ')}`
  throw contradictionError('error_code', failure, `fields.${name}`, fields[name] ?? fields.network, rule)
}

function describeRoutes(failure: CashoutFailure): string {
  const routes = cashoutRoutes.filter((one) => canFail(failure, one))
  const currencies = [...new Set(routes.map(({ currency }) => currency))]
  const networks = new Set(routes.map(({ network }) => network))
  const [network] = networks
  return `with ${currencies.join(', ')}${networks.size === 1 && network ? ` over ${network}` : ''}`
}
