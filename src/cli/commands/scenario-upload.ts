/** Uploads a scenario file to the sandbox, for one run or permanently. */
import { isDeepStrictEqual } from 'node:util'
import { SandboxError } from '../../client/errors.js'
import type { Scenario } from '../../client/types/control.js'
import { UnusableFile } from '../../runtime/node/files/input.js'
import type { Sandbox } from '../connection.js'
import { Failure, UsageError } from '../errors.js'

/** Whether the argument is a file: names are words joined by hyphens. */
export const isFile = (target: string): boolean => /\.(ya?ml|json)$/i.test(target) || target.includes('/')

interface Uploaded {
  name: string
  /** Whether the upload is new; false if the sandbox already had an upload of that name or an equal scenario. */
  isNew: boolean
  /** Deletes the upload, so that a built-in scenario of that name is used again. */
  restorePrevious(): Promise<void>
}

/** Uploads the file, unless the sandbox already has an equal scenario. Throws a `Failure` with every mistake of the file. */
export async function uploadFile(sandbox: Sandbox, file: string): Promise<Uploaded> {
  const { readScenarioFile, mistakeLines } = await import('../../runtime/node/scenario-files.js')
  let read: ReturnType<typeof readScenarioFile>
  try {
    read = readScenarioFile(file)
  } catch (error) {
    throw error instanceof UnusableFile ? new UsageError(error.message) : error
  }
  if (read.mistakes !== null) throw new Failure(mistakeLines(read).join('\n'))
  const { scenario } = read
  const known = await findScenario(sandbox, scenario.name)
  if (known !== undefined && hasSameEffect(known, { ...scenario }))
    return { name: scenario.name, isNew: false, restorePrevious: async () => {} }
  await sandbox.call('POST /scenarios', { body: { ...scenario } })
  const putBack = async () => {
    if (known?.origin !== 'uploaded')
      await sandbox.call('DELETE /scenarios/{name}', { params: { name: scenario.name } }).catch(() => undefined)
  }
  return { name: scenario.name, isNew: known?.origin !== 'uploaded', restorePrevious: putBack }
}

async function findScenario(sandbox: Sandbox, name: string): Promise<Scenario | undefined> {
  try {
    return await sandbox.call('GET /scenarios/{name}', { params: { name } })
  } catch (error) {
    if (error instanceof SandboxError && error.status === 404) return undefined
    throw error
  }
}

const comparedFields = ['on', 'times', 'params', 'settle', 'steps', 'outcomes'] as const
const defaults: Record<string, unknown> = { params: {}, settle: 'auto' }

const hasSameEffect = (known: Scenario, scenario: Record<string, unknown>): boolean =>
  comparedFields.every((field) => isDeepStrictEqual(known[field] ?? null, scenario[field] ?? defaults[field] ?? null))
