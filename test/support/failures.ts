/** A reporter that repeats the failures in a few lines at the very end, because often only the end of a long log is visible. */
import { writeSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

const mostLines = 20
const mostColumns = 240

const lines = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .slice(0, mostLines)
    .map((line) => `    ${line.slice(0, mostColumns)}`)

/** Describes a failure and the line of the test that found it. */
function describeError({ message, diff, stacks = [] }: SerializedError): string[] {
  const frame = stacks.find((one) => one.file.includes('/test/'))
  const place = frame === undefined ? [] : [`    at ${relative(process.cwd(), frame.file)}:${frame.line}`]
  return [...lines(message), ...lines(String(diff ?? '')).filter((line) => line.trim() !== ''), ...place]
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId
  const ofFile = module.errors().flatMap((error) => [`FAILED ${file}`, ...describeError(error)])
  const ofSuites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().flatMap((error) => [`FAILED ${file} > ${suite.fullName}`, ...describeError(error)]),
  )
  const ofTests = [...module.children.allTests('failed')].flatMap((test) => [
    `FAILED ${file} > ${test.fullName}`,
    ...(test.result().errors ?? []).flatMap(describeError),
  ])
  return [...ofFile, ...ofSuites, ...ofTests]
}

export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const outside = unhandled.flatMap((error) => ['FAILED outside of any test', ...describeError(error)])
    const all = [...modules.flatMap(failuresOf), ...outside]
    // After the output of all other reporters.
    if (all.length > 0) process.once('exit', () => writeSync(2, `\n${all.join('\n')}\n`))
  }
}
