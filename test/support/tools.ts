/** Programs that a few tests need beside Node and git: where one is missing, the run says which, and goes on. */
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'vitest'
import { newerNode } from './newer-node.mjs'

/** The JUnit of a Linux distribution, unless the environment names another. */
export const junitJar = process.env.JUNIT_JAR ?? '/usr/share/java/junit-platform-console-standalone.jar'

const found = new Map<string, boolean>()

/** Whether a shell command that only asks, such as `phpunit --version`, ends well. */
export function answers(command: string): boolean {
  const known = found.get(command)
  if (known !== undefined) return known
  let isHere = true
  try {
    execFileSync('sh', ['-c', command], { stdio: 'ignore' })
  } catch {
    isHere = false
  }
  found.set(command, isHere)
  return isHere
}

/** Leaves the test out, and says why, where a program is not there; an error where all of them are asked for. */
export function requireTools(context: Pick<TestContext, 'skip'>, ...programs: string[]): void {
  const absent = programs.filter((program) => !answers(`command -v ${program}`))
  if (absent.length === 0) return
  if (process.env.ALL_LANGUAGES === '1') throw new Error(`there is no ${absent.join(', ')} here`)
  context.skip(`not run, for want of ${absent.join(', ')}`)
}

/** A Node with `node:sqlite`. Leaves the test out, and says why, where none can be had. */
export function requireNewerNode(context: Pick<TestContext, 'skip'>): string {
  try {
    return newerNode()
  } catch (error) {
    const why = `NOT TRIED, no Node with node:sqlite: ${error instanceof Error ? error.message : String(error)}`
    console.warn(why)
    return context.skip(why)
  }
}
