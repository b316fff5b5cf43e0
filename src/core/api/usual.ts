/** What an object is made of where nobody says: an ordinary one of its currency's rail. */
import {
  type Currency,
  chainsOf,
  currencies,
  currencyNames,
  isCurrency,
  networksOf,
} from '../../protocol/api/currencies.js'
import { railOf } from '../../protocol/rails/index.js'
import type { Creatable } from '../../protocol/scenario/create.js'
import { listAccounts } from '../access/account.js'
import type { Account } from '../access/caller.js'
import { sourceOf } from '../operations/source.js'
import type { Unit } from '../workspace/unit.js'
import type { Fields } from './perform.js'

const [usualCurrency = 'BRL', secondCurrency = 'USDT'] = currencyNames

const currencyIn = (fields: Fields, name: string, otherwise: Currency): Currency => {
  const given = fields[name]
  return isCurrency(given) ? given : otherwise
}

type Maker = (unit: Unit, account: Account, fields: Fields) => Fields

const makers: Record<Creatable, Maker> = {
  cashin: (_unit, _account, fields) => {
    const currency = currencyIn(fields, 'currency', usualCurrency)
    return { amount: currencies[currency].usual, currency, ...chainOf(currency) }
  },
  cashout(unit, _account, fields) {
    const currency = currencyIn(fields, 'currency', usualCurrency)
    const networks = networksOf(currency)
    const network = networks.find((one) => one === fields.network) ?? networks[0] ?? null
    return {
      amount: currencies[currency].usual,
      currency,
      ...(network === null ? {} : { network }),
      ...(fields.key === undefined ? { key: railOf(currency).newDestination(sourceOf(unit), network) } : {}),
    }
  },
  wallet(_unit, _account, fields) {
    const currency = currencyIn(fields, 'currency', usualCurrency)
    return { currency, ...chainOf(currency) }
  },
  transfer(unit, account, fields) {
    const currency = currencyIn(fields, 'currency', usualCurrency)
    const other = listAccounts(unit.db).find((one) => one.seq !== account.seq)
    return {
      amount: currencies[currency].usual,
      currency,
      ...(other === undefined ? {} : { username: other.username }),
    }
  },
  conversion(_unit, _account, fields) {
    const base = currencyIn(fields, 'base_currency', usualCurrency)
    return {
      amount: currencies[base].usual,
      base_currency: base,
      destination_currency: base === usualCurrency ? secondCurrency : usualCurrency,
    }
  },
}

function chainOf(currency: Currency): Fields {
  const [chain] = chainsOf(currency)
  return chain === undefined ? {} : { chain }
}

/** `fields` over what is usual for them. */
export const withUsual = (unit: Unit, account: Account, kind: Creatable, fields: Fields): Fields => ({
  ...makers[kind](unit, account, fields),
  ...fields,
})
