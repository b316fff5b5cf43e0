/** `compareRecording`: compares recordings of the platform with the sandbox, in a test suite or in CI. */
import { type Comparison, type PlatformOptions, UsageError } from '../../inside/client.js'
import { fieldsIn } from '../../inside/values.js'

export interface AcceptedDifference {
  verdict: Comparison['findings'][number]['verdict']
  call: string
  path: string
  reason: string
  /** `2026-11-21`. */
  date: string
}

export interface CompareOptions extends PlatformOptions {
  /** Known differences. One that no longer occurs fails the comparison. */
  accept?: readonly AcceptedDifference[] | undefined
}

export interface ComparisonResult extends Comparison {
  /** Whether there are only confirmed assumptions and accepted differences. */
  passed: boolean
  /** Accepted differences that did not occur. */
  stale: AcceptedDifference[]
}

/** Options are the settings of `startSandbox`. Needs no running sandbox. Rejects with `UsageError` if a file is not a recording. */
export async function compareRecording(
  file: string | readonly string[],
  options: CompareOptions = {},
): Promise<ComparisonResult> {
  const { accept: known = [], ...settings } = options
  const [{ compareFiles }, { UnusableFile }, { configOfOptions }, { accept, isPassed, parseAccepted }] =
    await Promise.all([
      import('./node.js'),
      import('../../runtime/node/files/input.js'),
      import('../../testing/config.js'),
      import('./judge/accept.js'),
    ])
  const accepted = parseAccepted(known.map((one) => fieldsIn(one)))
  if ('mistakes' in accepted) throw new UsageError(`accept: ${accepted.mistakes.join('; ')}`)
  try {
    const all = await compareFiles(typeof file === 'string' ? [file] : file, configOfOptions(settings))
    const { report, stale } = accept(all, accepted.accepted)
    return { ...report, passed: isPassed(report, stale), stale }
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  }
}
