/** Default fields of a created object: typical for its currency's rail, and valid with the parameters of the action. */
import { formatAmount, parseAmount } from '../../base/money.js'
import { type ActionName, hasUsualAmount, requirementsOfAction } from '../../protocol/actions/actions.js'
import {
  type Currency,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  type Network,
} from '../../protocol/platform/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/calls.js'
import { listAccounts } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { idSourceOf } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { type ActionRequirements, contradictionError, requirementsOf, routeFor } from './action-requirements.js'
import type { Fields } from './validate.js'

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
export function withDefaultParams(name: ActionName, fields: Fields, params: Fields): Fields {
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
