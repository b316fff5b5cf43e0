/** The pages below Certify, by the second part of their address. */

import { NotFound, type Route } from '../../inside/pages.js'
import { BooksView } from './books/page.js'
import { ClientView } from './client/page.js'

const pages: Readonly<Record<string, typeof BooksView>> = { books: BooksView, client: ClientView }

export const CertifyPage = ({ id }: { route: Route; id: string }) => {
  const Page = pages[id] ?? NotFound
  return <Page />
}
