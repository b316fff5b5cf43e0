/**
 * The order of test files: files that wait for programs and browsers come first, so that the others fill the gaps and no long
 * file runs alone at the end. Before them comes what measures which code runs: that takes longer with each file in its process.
 */
import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const measures = /from 'node:inspector/
const waits = /from '(\.\.\/)+support\/(program|browser|dashboard|packed|shared-sandbox|certify)\.js'/

export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const first = [measures, waits].flatMap((is) =>
      sorted.filter(({ moduleId }) => is.test(readFileSync(moduleId, 'utf8'))),
    )
    return [...new Set([...first, ...sorted])]
  }
}
