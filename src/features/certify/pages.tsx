/** The pages of certification: address, component, place in the navigation. */
import { onDemand, type View } from '../../inside/pages.js'

const view = onDemand(
  () => import('./views.js'),
  () => import('./languages/certify.json', { with: { type: 'json' } }),
)

export const certifyViews: Readonly<Record<string, View>> = {
  certify: {
    view: view('CertifyView'),
    place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' },
  },
  'certify/books': { view: view('BooksView'), place: 'certify' },
  'certify/client': { view: view('ClientView'), place: 'certify' },
}
