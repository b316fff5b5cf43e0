/** The stored inputs that were the first to get a new kind of response. Variations of them often get another new one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Input, Reported } from './caller.js'

const file = join(import.meta.dirname, '../../torture/corpus.jsonl')
/** Longer inputs are not stored; a run finds similar ones again. */
const mostChars = 400

export function openCorpus() {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const inputs = new Map<string, Input[]>()
  const outcomes = new Set<string>()
  const add = (outcome: string, input: Input) => {
    outcomes.add(`${input.route} ${outcome}`)
    const known = inputs.get(input.route)
    if (known === undefined) inputs.set(input.route, [input])
    else known.push(input)
  }
  for (const line of lines) {
    const { outcome, ...input } = JSON.parse(line)
    add(outcome, input)
  }
  return {
    of: (route: string): readonly Input[] => inputs.get(route) ?? [],
    size: () => outcomes.size,
    look(input: Input, { outcome }: Reported) {
      const isNew = !outcomes.has(`${input.route} ${outcome}`) && (input.body ?? '').length <= mostChars
      if (isNew && input.path.length <= mostChars) {
        add(outcome, input)
        lines.push(JSON.stringify({ outcome, ...input }))
      }
    },
    save: () => writeFileSync(file, `${lines.toSorted().join('\n')}\n`),
  }
}
