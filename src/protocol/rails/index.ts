/** Every rail, and the rail of each currency. */
import { type Currency, type CurrencyRow, currencies } from '../platform/currencies.js'
import { chain } from './chain.js'
import { pix } from './pix.js'
import type { Rail } from './rail.js'
import { spei } from './spei.js'

const rails: Readonly<Record<CurrencyRow['rail'], Rail>> = { pix, spei, chain }

export const railOf = (currency: Currency): Rail => rails[currencies[currency].rail]

/** The currency of the legacy endpoint, whose requests name none (assumptions.md decision 21). */
export const legacyCurrency: Currency = 'BRL'
