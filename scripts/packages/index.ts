/** All generated files of the packages, by their paths: one row for each language. */
import { packageData, type Renderer } from './data.js'
import { goFiles } from './go.js'
import { phpFiles } from './php.js'
import { python } from './python.js'

const renderers: readonly Renderer[] = [goFiles, phpFiles, python]

export function packageFiles(): Record<string, string> {
  const data = packageData()
  return Object.assign({}, ...renderers.map((render) => render(data)))
}
