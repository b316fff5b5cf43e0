/** The pages of the features in the dashboard. */

import type { View } from '../dashboard/store/route.js'
import { BooksView } from './certify/books/page.js'
import { ClientView } from './certify/client/page.js'
import { CertifyView } from './certify/receiver/page.js'
import { CompareView } from './compare/page.js'

export const featureViews: Readonly<Record<string, View>> = {
  certify: { view: CertifyView, place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' } },
  'certify/books': { view: BooksView, place: 'certify' },
  'certify/client': { view: ClientView, place: 'certify' },
  compare: { view: CompareView, place: { group: 'Integration', label: 'Comparison', key: 'm', icon: 'posting' } },
}
