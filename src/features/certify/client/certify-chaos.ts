/** Certifies a client under chaos: runs it many times with random faults, finds what is wrong in each run compared with the one without faults, and shrinks the faults of each failure. */
import { type Chaos, faultIdPattern } from '../../../inside/control.js'
import { paymentKey } from '../../../inside/platform.js'
import { keysOf, parseDuration } from '../../../inside/values.js'
import type { BooksReport } from '../books/routes.js'
import { NotCertifiable } from '../processes.js'
import { type Finding, fail, missingOptions, notTested, pass, reportOf, ruleReport, skipped } from '../report/rules.js'
import { type ClientCall, isPayment } from './calls.js'
import { judgeCalls } from './certify-client.js'
import { usualChaos } from './chaos-options.js'
import type { ChaosFailure, ChaosReport, FaultOfRun } from './routes.js'
import { type ChaosRule, callRuleIds, chaosRules } from './rules.js'

export interface ChaosRunOptions {
  /** The faults of every run, without the seed. */
  chaos: Chaos
  /** The seed of the first run; each further run has the next one. */
  seed: number
  runs: number
}

/** What the user gave; `only` are the faults to repeat. */
interface GivenPlan {
  runs?: string | number | undefined
  seed?: string | number | undefined
  only?: readonly string[] | undefined
  timeout?: string | number | undefined
}

const maxRuns = 10_000

/** Parses the options of chaos; `nameOf` is how the user writes them. Throws `NotCertifiable`. */
export function chaosPlanOf(given: GivenPlan, nameOf: (option: keyof GivenPlan) => string) {
  const { only, runs = only === undefined ? usualChaos.runs : 1, seed = 1, timeout = usualChaos.timeout } = given
  const wrong = (option: keyof GivenPlan, must: string) => new NotCertifiable(`${nameOf(option)} must be ${must}`)
  const wholeNumber = (option: 'runs' | 'seed', value: string | number, least: number, most: number) => {
    const number = Number(value)
    if (/^\d{1,16}$/.test(String(value)) && number >= least && number <= most) return number
    throw wrong(option, `a whole number from ${least} to ${most}, not ${value}`)
  }
  const invalidId = only?.find((id) => !faultIdPattern.test(id))
  if (invalidId !== undefined) throw wrong('only', `ids of faults, such as reset:0123456789, not ${invalidId}`)
  const timeoutMs = parseDuration(timeout)
  if (timeoutMs === null || timeoutMs <= 0) throw wrong('timeout', `a duration such as 90s or 5m, not ${timeout}`)
  return {
    runs: wholeNumber('runs', runs, 1, maxRuns),
    seed: wholeNumber('seed', seed, 0, Number.MAX_SAFE_INTEGER - maxRuns),
    timeoutMs,
    only: only === undefined ? {} : { only: [...only] },
  }
}

export interface ChaosProgress {
  /** Runs when a run has ended. `number` 0 is the run without faults. */
  onRun?(number: number, failedRules: readonly ChaosRule[]): void
  /** Runs at each try to shrink the faults of a failure. */
  onTry?(tries: number, faults: number): void
  /** Runs after each run of the command; throws to end the runs without a report. */
  check?(): void
}

/** Runs the command once with these faults; null: without faults. */
type Play = (chaos: Chaos | null) => Promise<ClientRun>

interface Played {
  seed: number
  run: ClientRun
  findings: Findings
}

/** Largest number of runs of the command to shrink one failure. */
const maxTries = 100

export async function certifyUnderChaos(
  playOnce: Play,
  options: ChaosRunOptions,
  progress: ChaosProgress,
): Promise<ChaosReport> {
  const play: Play = async (chaos) => {
    const run = await playOnce(chaos)
    progress.check?.()
    return run
  }
  return new ChaosRuns(play, options, progress, await play(null)).report()
}

class ChaosRuns {
  readonly #failed: Played[] = []
  readonly #failures: ChaosFailure[] = []
  #runs = 0

  constructor(
    readonly play: Play,
    readonly options: ChaosRunOptions,
    readonly progress: ChaosProgress,
    readonly without: ClientRun,
  ) {}

  async report(): Promise<ChaosReport> {
    const { options, progress, without } = this
    const unusable = whyUnusable(without)
    progress.onRun?.(0, unusable === null ? [] : ['chaos.without'])
    let faults = 0
    while (unusable === null && this.#runs < options.runs) {
      const played = await this.#playWith({ seed: options.seed + this.#runs })
      faults += played.run.faults.length
      if (played.findings.size > 0) this.#failed.push(played)
      this.#runs++
      progress.onRun?.(this.#runs, [...played.findings.keys()])
    }
    await this.#shrinkFailures()
    const rules = keysOf(chaosRules).map((id) => ruleReport<ChaosRule>(chaosRules, id, this.#findingFor(id, unusable)))
    const counts = { seed: options.seed, runs: this.#runs, failed_runs: this.#failed.length, faults }
    return { ...reportOf(rules), chaos: { ...counts, failures: this.#failures, output: without.output } }
  }

  async #playWith({ seed, ...only }: { seed: number; only?: string[] }): Promise<Played> {
    const run = await this.play({ ...this.options.chaos, ...only, seed: String(seed) })
    return { seed, run, findings: await findingsOf(run, this.without) }
  }

  /** Shrinks, for each rule, the failed run with the fewest faults, unless an earlier failure explains it. */
  async #shrinkFailures(): Promise<void> {
    for (const rule of keysOf(chaosRules)) {
      const those = this.#failed.filter(({ findings }) => findings.has(rule))
      const [fewest] = those.toSorted((one, other) => one.run.faults.length - other.run.faults.length)
      if (fewest === undefined || this.#failures.some(({ rules }) => rules.includes(rule))) continue
      this.#failures.push({ ...(await this.#shrinkRun(rule, fewest)), failed_runs: those.length })
    }
  }

  async #shrinkRun(rule: ChaosRule, failed: Played): Promise<Omit<ChaosFailure, 'failed_runs'>> {
    const { seed } = failed
    const all = failed.run.faults
    let smallest = failed
    let tries = 0
    const fails = async (some: readonly FaultOfRun[]): Promise<boolean> => {
      tries++
      this.progress.onTry?.(tries, some.length)
      const again = await this.#playWith({ seed, only: some.map(({ id }) => id) })
      const isFailed = again.findings.has(rule)
      if (isFailed) smallest = again
      return isFailed
    }
    const repeats = all.length > 0 && (await fails(all))
    const faults = repeats ? await shrink(all, fails, maxTries - 1) : [...all]
    const { findings, run } = smallest
    return {
      rules: [rule, ...[...findings.keys()].filter((one) => one !== rule)],
      observed: findings.get(rule) ?? '',
      ...{ seed, faults, faults_before: all.length, tries, repeats, output: run.output },
    }
  }

  #findingFor(id: ChaosRule, unusable: string | null): Finding {
    if (id === 'chaos.without') return unusable === null ? pass(`${this.without.calls.length} calls`) : fail(unusable)
    if (unusable !== null) return notTested('chaos.without', 'chaos.without failed')
    if (id === 'chaos.books' && this.without.books === null) return skipped(missingOptions.booksCommand)
    const those = this.#failed.filter(({ findings }) => findings.has(id))
    const observed = this.#failures.find(({ rules }) => rules[0] === id)?.observed ?? those[0]?.findings.get(id)
    return those.length === 0
      ? pass(`${this.#runs} runs`)
      : fail(`in ${those.length} of ${this.#runs} runs: ${observed}`)
  }
}

/**
 * Returns a subset that fails: leaves out halves first, then smaller parts, until no single item can be left out. If a single
 * item fails, returns that one. `fails` is called at most `maxTries` times, and never for the whole set or for nothing.
 */
async function shrink<T>(
  all: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
  maxTries: number,
): Promise<T[]> {
  let [current, tries] = [[...all], 0]
  const stillFails = async (some: readonly T[]) => some.length > 0 && tries++ < maxTries && (await fails(some))
  let hasShrunk = false
  for (let size = all.length; size > 1 || hasShrunk; ) {
    size = Math.ceil(size / 2)
    hasShrunk = false
    for (let at = 0; at < current.length; ) {
      const rest = current.toSpliced(at, size)
      const isEnough = await stillFails(rest)
      if (isEnough) current = rest
      else at += size
      hasShrunk ||= isEnough
    }
  }
  if (current.length > 1) for (const item of all) if (await stillFails([item])) return [item]
  return current
}

/** One run of the command. */
export interface ClientRun {
  /** Why the command failed; null if it succeeded. */
  failure: string | null
  /** The last lines of its output. */
  output: string
  calls: readonly ClientCall[]
  faults: readonly FaultOfRun[]
  /** The comparison of the ledger, or why it cannot be read; null if no comparison was requested. */
  books: BooksReport | { unreadable: string } | null
}

/** The observation for each failed rule. */
type Findings = ReadonlyMap<ChaosRule, string>

async function findingsOf(run: ClientRun, without: ClientRun): Promise<Findings> {
  const found = new Map<ChaosRule, string>()
  const twice = paidTwice(run.calls, without.calls)
  if (twice !== null) found.set('chaos.once', twice)
  const books = wrongBooks(run)
  if (books !== null) found.set('chaos.books', books)
  if (run.failure !== null) found.set('chaos.passes', run.failure)
  const [rules, known] = await Promise.all([failedCallRules(run.calls), failedCallRules(without.calls)])
  for (const [id, observed] of rules) if (!known.has(id)) found.set(id, observed)
  return found
}

/** Returns why a run without faults cannot be compared with others; null if it can. */
const whyUnusable = (run: ClientRun): string | null => run.failure ?? wrongBooks(run)

async function failedCallRules(calls: readonly ClientCall[]): Promise<Map<ChaosRule, string>> {
  const { rules } = await judgeCalls(calls)
  return new Map(
    callRuleIds.flatMap((name) =>
      rules.flatMap(({ id, result, observed }) => (id === name && result === 'failed' ? [[name, observed]] : [])),
    ),
  )
}

function wrongBooks({ books }: ClientRun): string | null {
  if (books === null) return null
  if ('unreadable' in books) return `the ledger cannot be read: ${books.unreadable}`
  const [first, ...more] = books.rules.filter(({ result, severity }) => result === 'failed' && severity === 'error')
  if (first === undefined) return null
  const others = more.map(({ id }) => id).join(', ')
  return `${first.id}: ${first.observed}${others === '' ? '' : `; and ${others}`}`
}

interface EqualCalls {
  calls: ClientCall[]
  /** Ids of the transactions that the calls created. */
  created: Set<string>
}

/**
 * Calls that differ in their `external_id` alone can be meant, so they count only if there are more transactions than
 * without faults.
 */
function paidTwice(calls: readonly ClientCall[], without: readonly ClientCall[]): string | null {
  const usual = equalCalls(without)
  for (const [key, { calls: equal, created }] of equalCalls(calls)) {
    const hitCall = equal.find(({ entry }) => (entry.chaos ?? []).length > 0)
    const usually = usual.get(key)?.created.size ?? 0
    if (hitCall === undefined || usually === 0 || created.size <= usually) continue
    const names = [...new Set(equal.map(({ externalId }) => externalId ?? 'none'))].join(', ')
    const { method, path } = hitCall.entry
    return `${created.size} transactions instead of ${usually} by ${method} ${path} with equal fields; external_id: ${names}`
  }
  return null
}

function equalCalls(calls: readonly ClientCall[]): Map<string, EqualCalls> {
  const found = new Map<string, EqualCalls>()
  for (const call of calls) {
    if (!isPayment(call)) continue
    const key = paymentKey(call.endpoint, call.fields)
    const equal = found.get(key) ?? { calls: [], created: new Set() }
    equal.calls.push(call)
    if (call.status >= 200 && call.status < 300 && call.createdId !== null) equal.created.add(call.createdId)
    found.set(key, equal)
  }
  return found
}
