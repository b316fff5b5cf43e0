/**
 * Clean-up after each test and each file. It is kept here, and not in hooks of the modules that need it: a worker loads those modules
 * once for many files, so their own hooks would run for the first file only, and in an order that depends on which file that is.
 */
type CleanUp = () => unknown

const afterTest: CleanUp[] = []
const afterFiles: CleanUp[] = []

/** Calls `cleanUp` after the present test, in reverse order of registration: a page is closed before the sandbox that it shows. */
export const closeAfter = (cleanUp: CleanUp): void => void afterTest.push(cleanUp)
/** Calls `cleanUp` after every file. */
export const afterEveryFile = (cleanUp: CleanUp): void => void afterFiles.push(cleanUp)

export const cleanUpTest = (): Promise<void> => runAll(afterTest.splice(0))
export const cleanUpFile = (): Promise<void> => runAll(afterFiles)

/** Runs all of them, the last one first, even if some fail. */
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
