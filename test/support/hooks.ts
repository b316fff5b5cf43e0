/** What is tidied after each test and each file. A worker loads the modules of the tests' support once for many files, and a hook that such a module registered itself would hold for the first of them only. */
type Tidy = () => unknown

const afterTests: Tidy[] = []
const afterFiles: Tidy[] = []

export const afterEveryTest = (tidy: Tidy): number => afterTests.push(tidy)
export const afterEveryFile = (tidy: Tidy): number => afterFiles.push(tidy)

export const tidyTest = (): Promise<void> => each(afterTests)
export const tidyFile = (): Promise<void> => each(afterFiles)

/** All of them, though one fails; the last first. */
async function each(list: readonly Tidy[]): Promise<void> {
  const problems: unknown[] = []
  for (const tidy of list.toReversed()) {
    try {
      await tidy()
    } catch (error) {
      problems.push(error)
    }
  }
  if (problems.length === 1) throw problems[0]
  if (problems.length > 1) throw new AggregateError(problems, problems.map(String).join('\n'))
}
