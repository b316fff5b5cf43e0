/** SPEI: MXN between Mexican banks, by CLABE (assumptions.md decisions 15 and 20). */
import { capitals, digits, type RandomBytes, randomFrom } from '../../base/random.js'
import type { Rail } from './rail.js'

export const spei: Rail = {
  type: 'fiat',
  method: 'spei',
  makeCharge(source, { payee, lifeMs }) {
    const clabe = newClabe(source.draw('clabe'))
    const bank = bankOfClabe(clabe)
    const info = {
      clabe,
      bank_code: bank?.banxico ?? null,
      bank_name: bank?.name ?? null,
      beneficiary_name: payee,
      reference: newReferenceNumber(source.draw('reference')),
    }
    return { info, expiresAtMs: lifeMs === null ? null : source.atMs + lifeMs }
  },
  isPaidExactly: false,
  hasExpiryEvent: false,
  isDisputable: false,
  newDestination: (source) => newClabe(source.draw('clabe')),
  confirmations: () => 0,
  hasKeyTypes: false,
  keyTypeOf: () => null,
  /** A given bank must match the CLABE's. An unknown code is not compared. */
  failureOf({ key, bankCode }) {
    const bank = bankCode === null ? null : abmOf(bankCode)
    return isClabe(key) && (bank === null || key.startsWith(bank)) ? null : 'INVALID_ADDRESS'
  },
  bankOf: (key) => bankOfClabe(key)?.name ?? null,
  proof: 'tracking_key',
  newRailReference: (source) => newTrackingKey(source.draw('e2e')),
}

/** Generates a SPEI tracking key (clave de rastreo): 20 characters, because some clients truncate the allowed 30 to 29. */
export function newTrackingKey(draw: RandomBytes): string {
  return `SBX${randomFrom(capitals, 17, draw)}`
}

/**
 * Generates the reference that a SPEI payer quotes (referencia numérica): seven digits, the first not zero, so that it
 * survives as a number.
 */
export function newReferenceNumber(draw: RandomBytes): string {
  return randomFrom('123456789', 1, draw) + randomFrom(digits, 6, draw)
}

// CLABEs.

/** The participants of SPEI: a CLABE begins with `abm`; a payment order names the institution by `banxico`. */
interface Bank {
  /** Three digits. */
  abm: string
  /** 40xxx commercial, 37xxx development, 90xxx others; it ends in the ABM code. */
  banxico: string
  name: string
}

export const banks = [
  { abm: '001', banxico: '2001', name: 'Banxico' },
  { abm: '002', banxico: '40002', name: 'Banamex' },
  { abm: '006', banxico: '37006', name: 'Bancomext' },
  { abm: '009', banxico: '37009', name: 'Banobras' },
  { abm: '012', banxico: '40012', name: 'BBVA Mexico' },
  { abm: '014', banxico: '40014', name: 'Santander' },
  { abm: '019', banxico: '37019', name: 'Banjercito' },
  { abm: '021', banxico: '40021', name: 'HSBC' },
  { abm: '030', banxico: '40030', name: 'Bajio' },
  { abm: '036', banxico: '40036', name: 'Inbursa' },
  { abm: '042', banxico: '40042', name: 'Mifel' },
  { abm: '044', banxico: '40044', name: 'Scotiabank' },
  { abm: '058', banxico: '40058', name: 'Banregio' },
  { abm: '059', banxico: '40059', name: 'Invex' },
  { abm: '062', banxico: '40062', name: 'Afirme' },
  { abm: '072', banxico: '40072', name: 'Banorte' },
  { abm: '106', banxico: '40106', name: 'Bank Of America' },
  { abm: '112', banxico: '40112', name: 'Bmonex' },
  { abm: '113', banxico: '40113', name: 'Ve Por Mas' },
  { abm: '127', banxico: '40127', name: 'Azteca' },
  { abm: '128', banxico: '40128', name: 'Autofin' },
  { abm: '130', banxico: '40130', name: 'Compartamos' },
  { abm: '132', banxico: '40132', name: 'Multiva Banco' },
  { abm: '133', banxico: '40133', name: 'Actinver' },
  { abm: '135', banxico: '37135', name: 'Nafin' },
  { abm: '136', banxico: '40136', name: 'Intercam Banco' },
  { abm: '137', banxico: '40137', name: 'Bancoppel' },
  { abm: '138', banxico: '40138', name: 'Uala' },
  { abm: '145', banxico: '40145', name: 'BBase' },
  { abm: '147', banxico: '40147', name: 'Bankaool' },
  { abm: '166', banxico: '37166', name: 'BaBien' },
  { abm: '167', banxico: '40167', name: 'Hey Banco' },
  { abm: '638', banxico: '90638', name: 'NU MEXICO' },
  { abm: '646', banxico: '90646', name: 'STP' },
  { abm: '661', banxico: '90661', name: 'KLAR' },
  { abm: '699', banxico: '90699', name: 'Fondeadora' },
  { abm: '706', banxico: '90706', name: 'Arcus Fi' },
  { abm: '710', banxico: '90710', name: 'NVIO' },
  { abm: '722', banxico: '90722', name: 'Mercado Pago W' },
  { abm: '723', banxico: '90723', name: 'Cuenca' },
  { abm: '728', banxico: '90728', name: 'Spin by OXXO' },
  { abm: '738', banxico: '90738', name: 'Fintoc' },
] as const satisfies readonly Bank[]

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
  const first17 = abm + plaza + randomFrom(digits, 11, random)
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
