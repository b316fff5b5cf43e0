/** The pages of certification: address, component, place in the navigation. */
import type { View } from '../../inside/pages.js'
import { BooksView } from './books/page.js'
import { ClientView } from './client/page.js'
import { CertifyView } from './receiver/page.js'

export const certifyViews: Readonly<Record<string, View>> = {
  certify: { view: CertifyView, place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' } },
  'certify/books': { view: BooksView, place: 'certify' },
  'certify/client': { view: ClientView, place: 'certify' },
}
