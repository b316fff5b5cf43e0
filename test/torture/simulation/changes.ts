/** The switch of mutants. It loads before the mutated source, because that calls the switch while it loads. */

const early = process.argv.indexOf('--early')

export const changes = { active: early < 0 ? 0 : Number(process.argv[early + 1]), passed: new Set<number>() }

declare global {
  /** The mutated source calls it with the id of each mutant; true turns the mutant on. */
  var __mutant: (id: number) => boolean
}
globalThis.__mutant = process.argv.includes('--reach')
  ? (id) => {
      changes.passed.add(id)
      return false
    }
  : (id) => id === changes.active
