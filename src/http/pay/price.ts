/** Formats amounts for people, from decimal strings and never through a float: `R$ 1.149,90`, `$149.90 MXN`, `0.01 BTC`. */
import type { Currency } from '../../protocol/platform/currencies.js'
import type { PayTexts } from './texts/texts.js'

export function priceOf(amount: string, currency: Currency, texts: PayTexts): string {
  const { locale, decimalSign, symbolGap, symbols } = texts
  const symbol = symbols[currency] ?? null
  const [whole = '', decimals = ''] = (symbol === null ? withoutZeros(amount) : amount).split('.')
  const number = `${new Intl.NumberFormat(locale).format(BigInt(whole))}${decimalSign}${decimals}`
  if (symbol === null) return `${number}\u00a0${currency}`
  return `${symbol}${symbolGap}${number}${symbol === '$' ? `\u00a0${currency}` : ''}`
}

/** Removes zeros at the end, except for the first two decimals. */
export function withoutZeros(amount: string): string {
  const minLength = amount.indexOf('.') + 3
  let end = amount.length
  while (end > minLength && amount[end - 1] === '0') end--
  return amount.slice(0, end)
}
