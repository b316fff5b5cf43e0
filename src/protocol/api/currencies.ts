/** The eight currencies, the chains and networks they move on, and their labels in events (§1, decisions 6 and 18). */

export interface CurrencyRow {
  /** Decimal places of the minor unit. */
  scale: number
  type: 'fiat' | 'crypto'
  /** `payment_method` of a charge. */
  method: 'pix' | 'spei' | 'crypto'
}

export const currencies = {
  BRL: { scale: 2, type: 'fiat', method: 'pix' },
  MXN: { scale: 2, type: 'fiat', method: 'spei' },
  USDT: { scale: 2, type: 'crypto', method: 'crypto' },
  USDC: { scale: 2, type: 'crypto', method: 'crypto' },
  BTC: { scale: 8, type: 'crypto', method: 'crypto' },
  ETH: { scale: 8, type: 'crypto', method: 'crypto' },
  SOL: { scale: 9, type: 'crypto', method: 'crypto' },
  BNB: { scale: 8, type: 'crypto', method: 'crypto' },
} as const satisfies Record<string, CurrencyRow>

export type Currency = keyof typeof currencies
export const currencyNames = Object.keys(currencies) as Currency[]

/** Something for each currency. */
export function byCurrency<T>(make: (currency: Currency) => T): Record<Currency, T> {
  // `Object.fromEntries` forgets which keys there are.
  return Object.fromEntries(currencyNames.map((name) => [name, make(name)])) as Record<Currency, T>
}

export function isCurrency(text: unknown): text is Currency {
  return typeof text === 'string' && Object.hasOwn(currencies, text)
}

/** Labels that the documentation shows; the others, the confirmations and the pairs of `chainsOf` and `networksOf` are assumed. */
export const documentedLabels: readonly string[] = ['PIX', 'TRC20']

/** Chains take cash-ins and wallets; networks take cash-outs, and are the chains and Ethereum's second layers. */
export const networks = {
  tron: { label: 'TRC20', minConfirmations: 20, layer2: false },
  ethereum: { label: 'ERC20', minConfirmations: 12, layer2: false },
  bsc: { label: 'BEP20', minConfirmations: 15, layer2: false },
  polygon: { label: 'POLYGON', minConfirmations: 128, layer2: false },
  solana: { label: 'SPL', minConfirmations: 32, layer2: false },
  bitcoin: { label: 'BITCOIN', minConfirmations: 2, layer2: false },
  arbitrum: { label: 'ARBITRUM', minConfirmations: 12, layer2: true },
  base: { label: 'BASE', minConfirmations: 12, layer2: true },
  optimism: { label: 'OPTIMISM', minConfirmations: 12, layer2: true },
} as const satisfies Record<string, { label: string; minConfirmations: number; layer2: boolean }>

export type Network = keyof typeof networks
export const networkNames = Object.keys(networks) as Network[]
export const chainNames = networkNames.filter((name) => !networks[name].layer2)

/** The chains of a currency; fiat has none. */
export const chainsOf: Record<Currency, readonly Network[]> = {
  BRL: [],
  MXN: [],
  USDT: ['tron', 'ethereum', 'bsc', 'polygon', 'solana'],
  USDC: ['ethereum', 'bsc', 'polygon', 'solana'],
  BTC: ['bitcoin'],
  ETH: ['ethereum'],
  SOL: ['solana'],
  BNB: ['bsc'],
}

const onSecondLayers: readonly Currency[] = ['ETH', 'USDT', 'USDC']

/** The networks that a cash-out of a currency may take. */
export function networksOf(currency: Currency): readonly Network[] {
  return onSecondLayers.includes(currency)
    ? [...chainsOf[currency], 'arbitrum', 'base', 'optimism']
    : chainsOf[currency]
}

/** The `network` of event payloads: `PIX`, `TRC20`, `SOLANA` for the native coin and `SPL` for a token on it. */
export function networkLabel(currency: Currency, network: Network | null): string {
  if (network === null) return currency === 'MXN' ? 'SPEI' : 'PIX'
  return currency === 'SOL' ? 'SOLANA' : networks[network].label
}
