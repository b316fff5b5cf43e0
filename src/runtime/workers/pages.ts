/** Serves the bundled dashboard. */
import bundled from 'bundled:pages'
import type { Asset } from '../../http/host.js'
import { pageTypes } from '../shared/page-types.js'

const pages = new Map(
  Object.entries(bundled).flatMap(([name, body]): [string, Asset][] => {
    const type = pageTypes[name.slice(name.lastIndexOf('.'))]
    return type === undefined ? [] : [[name, { type, body }]]
  }),
)

export const bundledPage = (name: string): Asset | undefined => pages.get(name)
