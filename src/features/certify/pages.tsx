/** The pages of certification: address, component, place in the navigation. Their translations are loaded with the first of them. */
import { useState } from 'hono/jsx/dom'
import { addTexts, focusForm, language, useLayoutEffect, type View } from '../../inside/pages.js'
import { BooksView } from './books/page.js'
import { ClientView } from './client/page.js'
import { CertifyView } from './receiver/page.js'

const translated =
  (Page: View['view']): View['view'] =>
  (props) => {
    const [isReady, setReady] = useState(language === 'en')
    useLayoutEffect(
      () =>
        void addTexts(() => import('./languages/certify.json', { with: { type: 'json' } })).then(() => setReady(true)),
      [],
    )
    useLayoutEffect(() => void focusForm(), [isReady])
    return isReady ? <Page {...props} /> : <p class="loading">Loading…</p>
  }

export const certifyViews: Readonly<Record<string, View>> = {
  certify: {
    view: translated(CertifyView),
    place: { group: 'Integration', label: 'Certify', key: 'c', icon: 'check' },
  },
  'certify/books': { view: translated(BooksView), place: 'certify' },
  'certify/client': { view: translated(ClientView), place: 'certify' },
}
