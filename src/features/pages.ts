/** The pages of the features in the dashboard. */
import { CertifyView } from '../certify/dashboard/certify.js'
import { CertifyPage } from '../certify/dashboard/pages.js'
import { CompareView } from '../compare/dashboard/compare.js'
import type { View } from '../dashboard/views/view.js'

export const featureViews: Readonly<Record<string, View>> = {
  certify: { view: CertifyView, place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' } },
  'certify/*': { view: CertifyPage, place: 'certify' },
  compare: { view: CompareView, place: { group: 'Integration', label: 'Comparison', key: 'm', icon: 'posting' } },
}
