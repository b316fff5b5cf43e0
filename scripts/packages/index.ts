/** All generated files of the packages, by their paths: one row for each language. */
import { packageData, type Renderer } from './data.js'
import { go } from './go.js'
import { java } from './java.js'
import { php } from './php.js'
import { python } from './python.js'

const renderers: readonly Renderer[] = [python, java, go, php]

export function packageFiles(): Record<string, string> {
  const data = packageData()
  return Object.assign({}, ...renderers.map((render) => render(data)))
}
