/** The currencies and the networks, each with all that is particular to it: scale, rail, chains, limits, fee, worth, label (§1, decisions 6, 7, 8, 18, 24). */
import { isKeyOf, keysOf, tableOf } from '../../base/keys.js'
import type { Basis } from './basis.js'

/** `network` in events, of money in banks. */
const bankLabels = { pix: 'PIX', spei: 'SPEI' } as const

export interface CurrencyRow {
  /** Decimal places of the minor unit. */
  scale: number
  /** How its money is paid in and out: a file under rails. */
  rail: keyof typeof bankLabels | 'chain'
  /** Where it can be paid in: chains, the one that it is the coin of first; none for money in banks. */
  chains: readonly string[]
  /** Cash-outs also go over the second layers of its chain. */
  layer2?: true
  /** The label in events of a chain's own coin, where that differs from the label of tokens on it. */
  label?: string
  /** The least of a charge or withdrawal, the most of one operation, and of a day: decimal strings. Only minima are documented. */
  min: string
  minBasis: Basis
  max: string
  daily: string
  /** The fixed fee of a withdrawal. */
  cashoutFee: string
  /** What one unit is worth in BRL; a pair's rate is the quotient of two. */
  worth: string
  /** An ordinary amount, for what is made without saying: within every limit, and within what the demonstration accounts have. */
  usual: string
  /** What the demonstration merchant begins with. */
  opening: string
}

// biome-ignore format: a table, a row a line
export const currencies = {
  BRL: { scale: 2, rail: 'pix', chains: [], min: '1.00', minBasis: 'spec', max: '100000.00', daily: '1000000000.00', cashoutFee: '1.00', worth: '1', usual: '25.00', opening: '10000.00' },
  MXN: { scale: 2, rail: 'spei', chains: [], min: '10.00', minBasis: 'assumed', max: '500000.00', daily: '5000000000.00', cashoutFee: '5.00', worth: '0.30', usual: '250.00', opening: '10000.00' },
  USDT: { scale: 2, rail: 'chain', chains: ['tron', 'ethereum', 'bsc', 'polygon', 'solana'], layer2: true, min: '2.00', minBasis: 'spec', max: '50000.00', daily: '500000000.00', cashoutFee: '1.00', worth: '5.40', usual: '25.00', opening: '1000.00' },
  USDC: { scale: 2, rail: 'chain', chains: ['ethereum', 'bsc', 'polygon', 'solana'], layer2: true, min: '2.00', minBasis: 'spec', max: '50000.00', daily: '500000000.00', cashoutFee: '1.00', worth: '5.40', usual: '25.00', opening: '1000.00' },
  BTC: { scale: 8, rail: 'chain', chains: ['bitcoin'], min: '0.0001', minBasis: 'spec', max: '5', daily: '50000', cashoutFee: '0.0001', worth: '540000', usual: '0.002', opening: '0.1' },
  ETH: { scale: 8, rail: 'chain', chains: ['ethereum'], layer2: true, min: '0.001', minBasis: 'spec', max: '50', daily: '500000', cashoutFee: '0.001', worth: '18900', usual: '0.02', opening: '1' },
  SOL: { scale: 9, rail: 'chain', chains: ['solana'], label: 'SOLANA', min: '0.001', minBasis: 'spec', max: '1000', daily: '100000', cashoutFee: '0.001', worth: '864', usual: '0.5', opening: '10' },
  BNB: { scale: 8, rail: 'chain', chains: ['bsc'], min: '0.001', minBasis: 'assumed', max: '100', daily: '1000000', cashoutFee: '0.0005', worth: '5130', usual: '0.05', opening: '10' },
} as const satisfies Record<string, CurrencyRow>

export type Currency = keyof typeof currencies
export const currencyNames = keysOf(currencies)

/** Something for each currency. */
export const byCurrency = <T>(make: (currency: Currency) => T): Record<Currency, T> => tableOf(currencyNames, make)

export function isCurrency(text: unknown): text is Currency {
  return typeof text === 'string' && isKeyOf(currencies, text)
}

/** The row without the literal types of each. */
export const currencyOf = (currency: Currency): CurrencyRow => currencies[currency]

export interface NetworkRow {
  /** `network` in events. */
  label: string
  labelBasis: Basis
  minConfirmations: number
  /** Carries cash-outs only; a chain carries cash-ins and wallets too. */
  layer2: boolean
  /** An address, for forms to be filled in with. */
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
export type NetworkLabel =
  | (typeof bankLabels)[keyof typeof bankLabels]
  | (typeof networks)[Network]['label']
  | OwnLabel<(typeof currencies)[Currency]>

/** Of money in banks and of a chain's own coin; null: that of the network. */
function ownLabel(currency: Currency): NetworkLabel | null {
  const row = currencies[currency]
  if ('label' in row) return row.label
  return isKeyOf(bankLabels, row.rail) ? bankLabels[row.rail] : null
}

export function labelOf(currency: Currency, network: Network | null): NetworkLabel {
  const label = ownLabel(currency) ?? (network === null ? null : networks[network].label)
  if (label === null) throw new Error(`${currency} moves on a network, and none is named`)
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

/** The chains of a currency; money in banks has none. */
export const chainsOf = (currency: Currency): readonly Network[] => currencies[currency].chains

/** The networks that a cash-out of a currency may take. */
export const networksOf = (currency: Currency): readonly Network[] =>
  currencyOf(currency).layer2 === true ? [...chainsOf(currency), ...layer2Names] : chainsOf(currency)
