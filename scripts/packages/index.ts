/** All generated files of the packages, by their paths: one row for each language. */
import { packageData, type Renderer } from './data.js'

const renderers: readonly Renderer[] = []

export function packageFiles(): Record<string, string> {
  const data = packageData()
  return Object.assign({}, ...renderers.map((render) => render(data)))
}
