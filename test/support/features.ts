/** The features of the source, and those that were removed from it: tests that read a list or a page leave these out. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Each is a folder that can be removed, and the folders of its name under `test` with it. */
export const features: readonly string[] = readdirSync(join(root, 'src/features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const [, table = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('| feature | folders |')

/** Those that docs/architecture.md describes. */
export const describedFeatures: readonly string[] = [
  ...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm),
].map(([, name = '']) => name)

/** None, unless somebody has removed one: its pages, and its rows of other pages, are still in docs. */
export const removedFeatures = describedFeatures.filter((name) => !features.includes(name))

/** Whether a path leads into the folder of a removed feature, or a line of a page names one or links to its page. */
export const isOfRemoved = (text: string): boolean =>
  removedFeatures.some((name) => new RegExp(`[/(#\`]${name}([/)\`]|\\.md)`).test(text))
