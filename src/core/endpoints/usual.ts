/** What an object is made of by default: an ordinary one of its currency's rail, such that the parameters of the action are possible. */
import { formatAmount, parseAmount } from '../../base/money.js'
import { type ActionName, asksOf } from '../../protocol/actions/actions.js'
import {
  type Currency,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  type Network,
} from '../../protocol/platform/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import { listAccounts } from '../auth/account.js'
import type { Account } from '../auth/caller.js'
import { sourceOf } from '../unit/memory.js'
import type { Unit } from '../unit/unit.js'
import { type Asked, askedBy, contradiction, routeFor } from './asked.js'
import type { Fields } from './validate.js'

const [usualCurrency = 'BRL', secondCurrency = 'USDT'] = currencyNames

const currencyIn = (fields: Fields, name: string, otherwise: Currency): Currency => {
  const given = fields[name]
  return isCurrency(given) ? given : otherwise
}

interface Made {
  unit: Unit
  account: Account
  fields: Fields
  asked: Asked
}

const makers: Record<Creatable, (made: Made) => Fields> = {
  cashin({ fields, asked }) {
    const { currency, chain } = chargeRoute(fields)
    return { amount: amountFor(currency, fields, asked), currency, ...chain }
  },
  cashout({ unit, fields, asked }) {
    const { currency, network } = routeFor(fields, asked)
    return {
      amount: amountFor(currency, fields, asked),
      currency,
      ...(network === null ? {} : { network }),
      ...(fields.key === undefined ? { key: railOf(currency).newDestination(sourceOf(unit), network) } : {}),
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
      amount: currencies[currency].usual,
      currency,
      ...(other === undefined ? {} : { username: other.username }),
    }
  },
  conversion({ fields }) {
    const base = currencyIn(fields, 'base_currency', usualCurrency)
    return {
      amount: currencies[base].usual,
      base_currency: base,
      destination_currency: base === usualCurrency ? secondCurrency : usualCurrency,
    }
  },
}

/** A chain alone names the first currency that moves on it. */
function chargeRoute(fields: Fields): { currency: Currency; chain: { chain?: Network } } {
  const moves = (one: Currency) => chainsOf(one).some((chain) => chain === fields.chain)
  const currency = currencyIn(fields, 'currency', currencyNames.find(moves) ?? usualCurrency)
  const [chain] = chainsOf(currency)
  return { currency, chain: chain === undefined ? {} : { chain } }
}

/** The usual amount, unless the action names one that such an object could not have. */
function amountFor(currency: Currency, fields: Fields, { amount, part }: Asked): string {
  const { usual, scale } = currencies[currency]
  const minorOf = (text: unknown) => {
    const parsed = parseAmount(String(text), scale)
    return parsed.ok ? parsed.minor : null
  }
  const wanted = railOf(currency).isPaidExactly ? (amount ?? part) : part
  const wantedMinor = wanted === undefined ? null : minorOf(wanted)
  // What is no amount at all is for the action to refuse.
  if (wantedMinor === null) return usual
  const isExact = wanted === amount
  if (fields.amount !== undefined) {
    const givenMinor = minorOf(fields.amount)
    if (givenMinor === null || (isExact ? wantedMinor === givenMinor : wantedMinor <= givenMinor)) return usual
    const rule = isExact ? 'such a charge is paid exactly' : 'a part is at most the whole'
    throw contradiction('amount', wanted, 'fields.amount', fields.amount, rule)
  }
  const usualMinor = minorOf(usual)
  return isExact || usualMinor === null || wantedMinor > usualMinor ? formatAmount(wantedMinor, scale) : usual
}

/** `fields` over what is usual for them; `for` names the action that follows, and its parameters. */
export function withUsual(
  unit: Unit,
  account: Account,
  kind: Creatable,
  fields: Fields,
  next?: { name: ActionName; params: Fields },
): Fields {
  const asked = next === undefined ? {} : askedBy(asksOf(next.name), next.params)
  return { ...makers[kind]({ unit, account, fields, asked }), ...fields }
}
