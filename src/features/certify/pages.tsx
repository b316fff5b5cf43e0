/** The pages of certification: address, component, place in the navigation. Their translations are loaded with the first of them. */
import { type View, withTexts } from '../../inside/pages.js'
import { BooksView } from './books/page.js'
import { ClientView } from './client/page.js'
import { CertifyView } from './receiver/page.js'

const translated = withTexts(() => import('./languages/certify.json', { with: { type: 'json' } }))

export const certifyViews: Readonly<Record<string, View>> = {
  certify: {
    view: translated(CertifyView),
    place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' },
  },
  'certify/books': { view: translated(BooksView), place: 'certify' },
  'certify/client': { view: translated(ClientView), place: 'certify' },
}
