/** The page of comparisons: address, component, place in the navigation. */
import { onDemand, type View } from '../../inside/pages.js'

const view = onDemand(
  () => import('./page.js'),
  () => import('./languages/compare.json', { with: { type: 'json' } }),
)

export const compareViews: Readonly<Record<string, View>> = {
  compare: {
    view: view('CompareView'),
    place: { group: 'Integration', label: 'Comparison', key: 'm', icon: 'posting' },
  },
}
