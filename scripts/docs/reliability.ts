/** The generated table of docs/reliability.md: what the simulation has met, and why it never meets the rest. */
import { readFileSync } from 'node:fs'
import { unreached } from '../../test/torture/unreached.mjs'
import { markdownTable, withParts } from './markdown.js'

interface Reached {
  operations: number
  histories: number
  /** `row` is a kind and a name; `without` lists the met rows that no history has met together with it. */
  rows: { row: string; met: number; without: string[] }[]
}

export const readReached = (): Reached =>
  // The simulation writes this file.
  JSON.parse(readFileSync('test/torture/reached.json', 'utf8')) as Reached

const counted = (number: number) => number.toLocaleString('en')

export function reliabilityPage(page: string): string {
  const { operations, histories, rows } = readReached()
  const kinds = [...new Set(rows.map(({ row }) => kindOf(row)))]
  const table = kinds.map((kind) => {
    const ofKind = rows.filter(({ row }) => kindOf(row) === kind)
    const met = ofKind.filter((one) => one.met > 0)
    const others = rows.filter((one) => one.met > 0).length - 1
    const pairs = met.length * others
    const missing = met.reduce((sum, { without }) => sum + without.length, 0)
    const share = `${Math.floor((100 * (pairs - missing)) / pairs)} %`
    return [kind, `${met.length} of ${ofKind.length}`, share]
  })
  const never = Object.entries(unreached).map(
    ([why, list]) => `- ${why}: ${list.map((row) => row.slice(kindOf(row).length + 2)).join(', ')}`,
  )
  return withParts(page, 'docs/reliability.md', {
    reached: [
      `${counted(histories)} histories of ${counted(operations)} operations:`,
      markdownTable(['kind', 'met', 'pairs'], table),
      'Never met:',
      never.join('\n'),
    ].join('\n\n'),
  })
}

const kindOf = (row: string) => row.slice(0, row.indexOf(': '))
