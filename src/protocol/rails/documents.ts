/** CPF (people) and CNPJ (companies, with letters since July 2026), with or without punctuation. */
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj'
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf'
import { upperAscii } from '../../base/text.js'

/** `12.abc.345/01de-35` → `12ABC34501DE35`. Removes only dot, slash and hyphen; the checks reject the rest. */
export function normaliseDocument(text: string): string {
  return upperAscii(text.replace(/[./-]/g, ''))
}

/** Whether text is 11 digits, not all the same, with correct check digits. */
export function isCpf(text: string): boolean {
  const cpf = normaliseDocument(text)
  return /^\d{11}$/.test(cpf) && isValidCpf(cpf)
}

/** Whether text is 12 letters or digits and two correct check digits. */
export function isCnpj(text: string): boolean {
  const cnpj = normaliseDocument(text)
  return /^[0-9A-Z]{12}\d{2}$/.test(cnpj) && isValidCnpj(cnpj, { version: 2 })
}

/** Whether text is a valid `payer.document` (§2.3). */
export function isDocument(text: string): boolean {
  return isCpf(text) || isCnpj(text)
}
