/** Names and sentences that several languages render from the tables. */
import type { PackageData } from './data.js'

/** `infractionReply` and `InfractionReply` become `infraction_reply`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`)

export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Names of the fields of requests that are decimals. */
export function decimalFields(data: PackageData, isInput: (type: string) => boolean): string[] {
  const fields = data.types.filter(({ name }) => isInput(name)).flatMap((type) => type.fields)
  return [...new Set(fields.filter(({ type }) => type.kind === 'decimal').map(({ name }) => name))]
}
