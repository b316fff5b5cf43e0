/** Counts what the simulation meets: transitions, errors, settings, steps of scenarios, faults and control routes, alone and in pairs. */
import { controlRoutes } from '../../../src/protocol/control/index.js'
import { errorCodes } from '../../../src/protocol/platform/errors.js'
import { transitions } from '../../../src/protocol/platform/transitions.js'
import { stepNames } from '../../../src/protocol/scenario/steps.js'
import { chaosFaultNames } from '../../../src/protocol/settings/chaos.js'
import { platformSettingNames } from '../../../src/protocol/settings/platform.js'

/** Faults of the machine, of a scenario and of chaos. */
const faults = [
  'kill',
  'full disk',
  'restart',
  ...['respond', 'latency', 'disconnect before', 'disconnect after', 'webhooks'].map((name) => `scenario: ${name}`),
  ...chaosFaultNames.map((name) => `chaos: ${name}`),
]

/** Not those of features, which have tests of their own. */
const routes = Object.values(controlRoutes).map(({ method, path }) => ({
  name: `${method} ${path}`,
  method,
  parts: path.split('/'),
}))

/** Every row that a history can meet, by kind. */
export const rowsToReach = {
  transition: transitions.map(({ object, from, on }) => `${object} ${from} ${on}`),
  error: [...errorCodes],
  setting: [...platformSettingNames],
  'scenario step': [...stepNames],
  fault: faults,
  'control route': routes.map(({ name }) => name),
} satisfies Record<string, string[]>

export type ReachKind = keyof typeof rowsToReach

const all = Object.entries(rowsToReach).flatMap(([kind, names]) => names.map((name) => `${kind}: ${name}`))
const indexOf = new Map(all.map((row, index) => [row, index]))

/** What a process has met: the number of steps that met each row, and of histories that met both rows of a pair. */
class Reach {
  private readonly counts = new Array<number>(all.length).fill(0)
  private readonly pairs = new Uint32Array(all.length ** 2)
  private readonly inStep = new Set<number>()
  private readonly inHistory = new Set<number>()

  meet(kind: ReachKind, name: string): void {
    const index = indexOf.get(`${kind}: ${name}`)
    if (index === undefined) throw new Error(`there is no ${kind} ${name}`)
    this.inStep.add(index)
  }

  meetRoute(method: string, target: string): void {
    const parts = (target.slice('/_sandbox'.length).split('?')[0] || '/').split('/')
    const fits = routes
      .filter((one) => one.method === method && one.parts.length === parts.length)
      .filter((one) => one.parts.every((part, at) => part.startsWith('{') || part === parts[at]))
    // `/scenarios/validate` fits `/scenarios/{name}` too; the one with fewer parameters is meant.
    const [found] = fits.sort((a, b) => a.name.split('{').length - b.name.split('{').length)
    if (found !== undefined) this.meet('control route', found.name)
  }

  endStep(): void {
    for (const index of this.inStep) {
      this.counts[index] = (this.counts[index] ?? 0) + 1
      this.inHistory.add(index)
    }
    this.inStep.clear()
  }

  endHistory(): void {
    this.endStep()
    const met = [...this.inHistory].sort((a, b) => a - b)
    for (const [at, one] of met.entries())
      for (const other of met.slice(at + 1)) {
        const place = one * all.length + other
        this.pairs[place] = (this.pairs[place] ?? 0) + 1
      }
    this.inHistory.clear()
  }

  /** `{rows, counts, pairs}`: a pair is `[one, other, count]`, by the numbers of its rows. */
  report() {
    const pairs: [number, number, number][] = []
    for (const [place, count] of this.pairs.entries())
      if (count > 0) pairs.push([Math.floor(place / all.length), place % all.length, count])
    return { rows: all, counts: this.counts, pairs }
  }
}

export const reach = new Reach()
