/**
 * The currencies and networks with their properties: scale, rail, chains, limits, fee, value, label (interface.md §1,
 * assumptions.md decisions 6, 7, 8, 18, 24).
 */
import { isKeyOf, keysOf, tableOf } from '../../base/keys.js'
import { joinWords } from '../../base/text.js'
import type { Basis } from './emulated-interface.js'

/** `network` in the events of bank rails. */
const bankLabels = { pix: 'PIX', spei: 'SPEI' } as const

export interface CurrencyRow {
  /** Decimal places of the minor unit. */
  scale: number
  /** The rail of its payments: a file in `rails`. */
  rail: keyof typeof bankLabels | 'chain'
  /** Chains on which it can be received, its native chain first; none for bank rails. */
  chains: readonly string[]
  /** Withdrawals can also use the second layers of its chain. */
  layer2?: true
  /** The label of a native coin in events, if it differs from the label of tokens on its chain. */
  label?: string
  /**
   * Minimum of a charge or withdrawal, maximum of one operation and of one day, as decimal strings. Only minimums are
   * documented.
   */
  min: string
  minBasis: Basis
  max: string
  daily: string
  cashoutFee: string
  /** Value of one unit in BRL. The rate of a pair is the quotient of two values. */
  valueInBrl: string
  /** A typical amount, used when none is given: within all limits and the demonstration balances. */
  usualAmount: string
  /** Opening balance of the demonstration merchant. */
  openingBalance: string
}

// biome-ignore format: a table, a row a line
export const currencies = {
  BRL: { scale: 2, rail: 'pix', chains: [], min: '1.00', minBasis: 'spec', max: '100000.00', daily: '1000000000.00', cashoutFee: '1.00', valueInBrl: '1', usualAmount: '25.00', openingBalance: '10000.00' },
  MXN: { scale: 2, rail: 'spei', chains: [], min: '10.00', minBasis: 'assumed', max: '500000.00', daily: '5000000000.00', cashoutFee: '5.00', valueInBrl: '0.30', usualAmount: '250.00', openingBalance: '10000.00' },
  USDT: { scale: 2, rail: 'chain', chains: ['tron', 'ethereum', 'bsc', 'polygon', 'solana'], layer2: true, min: '2.00', minBasis: 'spec', max: '50000.00', daily: '500000000.00', cashoutFee: '1.00', valueInBrl: '5.40', usualAmount: '25.00', openingBalance: '1000.00' },
  USDC: { scale: 2, rail: 'chain', chains: ['ethereum', 'bsc', 'polygon', 'solana'], layer2: true, min: '2.00', minBasis: 'spec', max: '50000.00', daily: '500000000.00', cashoutFee: '1.00', valueInBrl: '5.40', usualAmount: '25.00', openingBalance: '1000.00' },
  BTC: { scale: 8, rail: 'chain', chains: ['bitcoin'], min: '0.0001', minBasis: 'spec', max: '5', daily: '50000', cashoutFee: '0.0001', valueInBrl: '540000', usualAmount: '0.002', openingBalance: '0.1' },
  ETH: { scale: 8, rail: 'chain', chains: ['ethereum'], layer2: true, min: '0.001', minBasis: 'spec', max: '50', daily: '500000', cashoutFee: '0.001', valueInBrl: '18900', usualAmount: '0.02', openingBalance: '1' },
  SOL: { scale: 9, rail: 'chain', chains: ['solana'], label: 'SOLANA', min: '0.001', minBasis: 'spec', max: '1000', daily: '100000', cashoutFee: '0.001', valueInBrl: '864', usualAmount: '0.5', openingBalance: '10' },
  BNB: { scale: 8, rail: 'chain', chains: ['bsc'], min: '0.001', minBasis: 'assumed', max: '100', daily: '1000000', cashoutFee: '0.0005', valueInBrl: '5130', usualAmount: '0.05', openingBalance: '10' },
} as const satisfies Record<string, CurrencyRow>

export type Currency = keyof typeof currencies
export const currencyNames = keysOf(currencies)

export const byCurrency = <T>(make: (currency: Currency) => T): Record<Currency, T> => tableOf(currencyNames, make)

export function isCurrency(text: unknown): text is Currency {
  return typeof text === 'string' && isKeyOf(currencies, text)
}

/** The row of a currency, without literal types. */
export const currencyOf = (currency: Currency): CurrencyRow => currencies[currency]

/** The currencies with this property, for prose. */
const currenciesWhere = (fits: (row: CurrencyRow) => boolean) => currencyNames.filter((name) => fits(currencyOf(name)))
const bankCurrencies = () => currenciesWhere(({ rail }) => rail !== 'chain')
/** Functions, so that a page that uses none does not have them. */
export const currenciesInWords = {
  bank: (last?: 'or') => joinWords(bankCurrencies(), last),
  sameScaleAs: (currency: Currency) => joinWords(currenciesWhere(({ scale }) => scale === currencyOf(currency).scale)),
  byRail: () =>
    `${bankCurrencies()
      .map((name) => `${name} by ${ownLabel(name)}`)
      .join(', ')}, the others on a blockchain`,
  /** Of the coins whose scale differs from that of money in a bank. */
  scales: () =>
    currenciesWhere(({ scale }) => scale !== currencies.BRL.scale)
      .map((name) => `${name} has ${currencies[name].scale}`)
      .join(', '),
}

interface NetworkRow {
  /** `network` in events. */
  label: string
  labelBasis: Basis
  minConfirmations: number
  /** Whether the network carries withdrawals only; a chain also carries charges and wallets. */
  layer2: boolean
  /** A sample address for forms. */
  sample: string
}

const evmSample = '0x52908400098527886E0F7030069857D2E4169EE7'

// biome-ignore format: a table, a row a line
export const networks = {
  tron: { label: 'TRC20', labelBasis: 'spec', minConfirmations: 20, layer2: false, sample: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  ethereum: { label: 'ERC20', labelBasis: 'assumed', minConfirmations: 12, layer2: false, sample: evmSample },
  bsc: { label: 'BEP20', labelBasis: 'assumed', minConfirmations: 15, layer2: false, sample: evmSample },
  polygon: { label: 'POLYGON', labelBasis: 'assumed', minConfirmations: 128, layer2: false, sample: evmSample },
  solana: { label: 'SPL', labelBasis: 'assumed', minConfirmations: 32, layer2: false, sample: 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z' },
  bitcoin: { label: 'BITCOIN', labelBasis: 'assumed', minConfirmations: 2, layer2: false, sample: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  arbitrum: { label: 'ARBITRUM', labelBasis: 'assumed', minConfirmations: 12, layer2: true, sample: evmSample },
  base: { label: 'BASE', labelBasis: 'assumed', minConfirmations: 12, layer2: true, sample: evmSample },
  optimism: { label: 'OPTIMISM', labelBasis: 'assumed', minConfirmations: 12, layer2: true, sample: evmSample },
} as const satisfies Record<string, NetworkRow>

export type Network = keyof typeof networks
export const networkNames = keysOf(networks)

type OwnLabel<Row> = Row extends { label: infer Label } ? Label : never
/** `network` in events. */
type NetworkLabel =
  | (typeof bankLabels)[keyof typeof bankLabels]
  | (typeof networks)[Network]['label']
  | OwnLabel<(typeof currencies)[Currency]>

/** The label of a bank rail or a native coin; null: the label of the network. */
function ownLabel(currency: Currency): NetworkLabel | null {
  const row = currencies[currency]
  if ('label' in row) return row.label
  return isKeyOf(bankLabels, row.rail) ? bankLabels[row.rail] : null
}

export function labelOf(currency: Currency, network: Network | null): NetworkLabel {
  const label = ownLabel(currency) ?? (network === null ? null : networks[network].label)
  if (label === null) throw new Error(`${currency} requires a network`)
  return label
}

export const networkLabels: readonly NetworkLabel[] = [
  ...new Set([
    ...currencyNames.flatMap((name) => ownLabel(name) ?? []),
    ...networkNames.map((name) => networks[name].label),
  ]),
]

const layer2Names = networkNames.filter((name) => networks[name].layer2)
export const chainNames = networkNames.filter((name) => !networks[name].layer2)

/** The chains of a currency; none for bank rails. */
export const chainsOf = (currency: Currency): readonly Network[] => currencies[currency].chains

/** The networks that a withdrawal of a currency can use. */
export const networksOf = (currency: Currency): readonly Network[] =>
  currencyOf(currency).layer2 === true ? [...chainsOf(currency), ...layer2Names] : chainsOf(currency)
