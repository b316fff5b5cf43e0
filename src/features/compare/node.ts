/** Compares recordings without a running sandbox. */
import type { Config } from '../../inside/control.js'
import { chooseDriver, createSqlite, readInputFile, scratchWorkspaces, UnusableFile } from '../../inside/node.js'
import type { DetailedComparison } from './compare.js'
import type { Comparison } from './judge/comparison.js'

/** Throws `UnusableFile` if a file cannot be read or is not a recording. */
export async function compareFiles(files: readonly string[], config: Config): Promise<Comparison> {
  const { NotHar } = await import('./har/exchange.js')
  const texts = files.map((file) =>
    readInputFile('recording', file, 'name another, or split one that is too large').toString('utf8'),
  )
  try {
    return (await compareInDetailHere(texts, config)).report
  } catch (error) {
    throw error instanceof NotHar ? new UnusableFile(`${files.join(', ')}: ${error.message}`) : error
  }
}

/** Throws `NotHar` if a text is not a recording. */
export async function compareInDetailHere(texts: readonly string[], config: Config): Promise<DetailedComparison> {
  const { compareInDetail } = await import('./compare.js')
  return compareInDetail(texts, config, scratchWorkspaces(createSqlite(chooseDriver(null)), noSend).open)
}

const noSend = () => Promise.reject(new Error('a comparison sends nothing'))
