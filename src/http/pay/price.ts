/** Formats amounts for people, from decimal strings and never through a float: `R$ 1.149,90`, `$149.90 MXN`, `0.01 BTC`. */
import type { Currency } from '../../protocol/platform/currencies.js'
import type { PayTexts } from './texts/texts.js'

/** Currencies that people know by a symbol. Other countries have dollars and pesos too, so a peso amount also has its code. */
const symbols: Partial<Record<Currency, { symbol: string; hasCode: boolean }>> = {
  BRL: { symbol: 'R$', hasCode: false },
  MXN: { symbol: '$', hasCode: true },
}

export function priceOf(amount: string, currency: Currency, { locale, decimalSign, symbolGap }: PayTexts): string {
  const row = symbols[currency]
  const [whole = '', decimals = ''] = (row === undefined ? withoutZeros(amount) : amount).split('.')
  const number = `${new Intl.NumberFormat(locale).format(BigInt(whole))}${decimalSign}${decimals}`
  if (row === undefined) return `${number}\u00a0${currency}`
  return `${row.symbol}${symbolGap}${number}${row.hasCode ? `\u00a0${currency}` : ''}`
}

/** Removes zeros at the end, except for the first two decimals. */
function withoutZeros(amount: string): string {
  const minLength = amount.indexOf('.') + 3
  let end = amount.length
  while (end > minLength && amount[end - 1] === '0') end--
  return amount.slice(0, end)
}
