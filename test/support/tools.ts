/** Programs that a few tests need besides Node and git. If one is missing, the tests are skipped with a message. */
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'vitest'
import { newerNode } from './newer-node.mjs'

/** The path of JUnit (default: where Linux distributions install it). */
export const junitJar = process.env.JUNIT_JAR ?? '/usr/share/java/junit-platform-console-standalone.jar'

const found = new Map<string, boolean>()

/** Whether a shell command such as `phpunit --version` succeeds. */
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

/** Skips the test if a program is missing. With `ALL_LANGUAGES=1` a missing program is an error. */
export function requireTools(context: Pick<TestContext, 'skip'>, ...programs: string[]): void {
  const absent = programs.filter((program) => !answers(`command -v ${program}`))
  if (absent.length === 0) return
  if (process.env.ALL_LANGUAGES === '1') throw new Error(`not installed: ${absent.join(', ')}`)
  context.skip(`skipped, because these programs are not installed: ${absent.join(', ')}`)
}

/** Returns a Node with `node:sqlite`. Skips the test if none can be fetched. */
export function requireNewerNode(context: Pick<TestContext, 'skip'>): string {
  try {
    return newerNode()
  } catch (error) {
    const why = `SKIPPED, because no Node with node:sqlite is available: ${error instanceof Error ? error.message : String(error)}`
    console.warn(why)
    return context.skip(why)
  }
}
