/** Which change of the source is on; loaded before the source, which asks as it loads. */

const early = process.argv.indexOf('--early')

export const changes = { active: early < 0 ? 0 : Number(process.argv[early + 1]), passed: new Set<number>() }

declare global {
  /** Asked by the changed source, with a number of its own at each place. */
  var __mutant: (id: number) => boolean
}
globalThis.__mutant = process.argv.includes('--reach')
  ? (id) => {
      changes.passed.add(id)
      return false
    }
  : (id) => id === changes.active
