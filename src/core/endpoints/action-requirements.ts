/** Requirements that the parameters of an action set for an object that is created for the action. */
import { isKeyOf } from '../../base/keys.js'
import type { ActionRequirement } from '../../protocol/actions/actions.js'
import { isCurrency } from '../../protocol/platform/currencies.js'
import { ApiError } from '../../protocol/platform/errors.js'
import {
  type CashoutFailure,
  canFail,
  cashoutFailures,
  cashoutRoutes,
  failuresOn,
  type Route,
} from '../../protocol/platform/failures.js'
import type { Fields } from './validate.js'

export interface ActionRequirements {
  /** Exactly this amount, if the rail requires the exact amount. */
  amount?: string
  /** At least this amount. */
  minAmount?: string
  failure?: CashoutFailure
}

/** Collects the requirements of `params`, which have passed the schema of the action. */
export function requirementsOf(asks: Readonly<Record<string, ActionRequirement>>, params: Fields): ActionRequirements {
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
export function contradictionError(
  field: string,
  value: unknown,
  other: string,
  params: unknown,
  rule: string,
): ApiError {
  const message = `${field} ${String(value)} contradicts ${other} ${String(params)}: ${rule}.`
  return new ApiError('INVALID_VALUE', { field, rule, contradicts: other }, { message })
}

const [usualRoute = { currency: 'BRL', network: null } as const] = cashoutRoutes

/** Returns the first route that fits the given fields and the failure; throws 422 if they contradict each other. */
export function routeFor(fields: Fields, { failure }: ActionRequirements): Route {
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
