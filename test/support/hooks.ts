/**
 * Clean-up after each test and each file. Modules register it here instead of in their own hooks, because a worker loads a module
 * once for many files, so the module's own hooks would run for the first file only.
 */
type CleanUp = () => unknown

const afterTest: CleanUp[] = []
const afterFiles: CleanUp[] = []

/** Calls `cleanUp` after the current test, in reverse order of registration: a page is closed before the sandbox that it shows. */
export const closeAfter = (cleanUp: CleanUp): void => void afterTest.push(cleanUp)
/** Calls `cleanUp` after every file. */
export const afterEveryFile = (cleanUp: CleanUp): void => void afterFiles.push(cleanUp)

export const cleanUpTest = (): Promise<void> => runAll(afterTest.splice(0))
export const cleanUpFile = (): Promise<void> => runAll(afterFiles)

/** Runs all functions, the last first, even if some fail. */
async function runAll(list: readonly CleanUp[]): Promise<void> {
  const problems: unknown[] = []
  for (const cleanUp of list.toReversed()) {
    try {
      await cleanUp()
    } catch (error) {
      problems.push(error)
    }
  }
  if (problems.length === 1) throw problems[0]
  if (problems.length > 1) throw new AggregateError(problems, problems.map(String).join('\n'))
}
