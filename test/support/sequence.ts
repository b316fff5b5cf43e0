/** The order of test files: files that wait for programs and browsers come first, so that the others fill the gaps and no long file runs alone at the end. */
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const waits = /from '(\.\.\/)+support\/(program|browser|dashboard|packed|shared-sandbox|certify)\.js'/

export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const doesWait = new Set(sorted.filter(({ moduleId }) => waits.test(readFileSync(moduleId, 'utf8'))))
    return [...doesWait, ...sorted.filter((file) => !doesWait.has(file))]
  }
}
