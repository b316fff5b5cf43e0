/** The switch of mutants of this process. It loads before the mutated source, because that calls the switch while it loads. */
import { switchOf } from '../mutant-switch.mjs'

const early = process.argv.indexOf('--early')

export const changes = { active: early < 0 ? 0 : Number(process.argv[early + 1]), passed: new Set<number>() }

declare global {
  var __mutant: ReturnType<typeof switchOf>
}
globalThis.__mutant = process.argv.includes('--reach')
  ? switchOf(
      () => false,
      (id) => void changes.passed.add(id),
      (id) => !changes.passed.has(id),
    )
  : switchOf((id) => id === changes.active)
