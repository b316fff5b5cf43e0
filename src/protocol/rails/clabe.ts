/** CLABE, the 18-digit number of a Mexican account: bank (3), plaza (3), account (11), check digit. */

import { digits, randomOf } from '../../base/ids.js'
import type { RandomBytes } from '../../base/random.js'
import { type Bank, banks } from './banks.js'

/** Mexico City, where clearing institutions have their accounts. */
const plaza = '180'

const bankByCode: ReadonlyMap<string, Bank> = new Map(
  banks.flatMap((bank) => [[bank.abm, bank] as const, [bank.banxico, bank] as const]),
)

const weightAt = (place: number) => [3, 7, 1][place % 3] ?? 0

/**
 * The check digit for the first 17 digits: weights 3, 7, 1, each product modulo 10. Throws RangeError unless there are
 * 17 digits.
 */
export function clabeCheckDigit(first17: string): string {
  if (!/^\d{17}$/.test(first17)) throw new RangeError(`not the first 17 digits of a CLABE: ${first17}`)
  const sum = [...first17].reduce((total, digit, place) => total + ((Number(digit) * weightAt(place)) % 10), 0)
  return String((10 - (sum % 10)) % 10)
}

/** Whether text is 18 digits with the right check digit. The bank may be unknown; see `bankOfClabe`. */
export function isClabe(text: string): boolean {
  return /^\d{18}$/.test(text) && clabeCheckDigit(text.slice(0, 17)) === text.charAt(17)
}

/** Generates a CLABE at `bank`, given by either code. Throws RangeError for an unknown bank. */
export function newClabe(random: RandomBytes, bank = '646'): string {
  const abm = abmOf(bank)
  if (abm === null) throw new RangeError(`not a bank code: ${bank}`)
  const first17 = abm + plaza + randomOf(digits, 11, random)
  return first17 + clabeCheckDigit(first17)
}

/** The bank of a CLABE, or null if it is unknown. */
export function bankOfClabe(clabe: string): Bank | null {
  return bankByCode.get(clabe.slice(0, 3)) ?? null
}

/** The three-digit code at the beginning of a CLABE, from either code of a bank; null if unknown. */
export function abmOf(text: string): string | null {
  return bankByCode.get(text)?.abm ?? null
}
