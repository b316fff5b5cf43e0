/** The views of certification, which are loaded with the first of them. */
export { BooksView } from './books/page.js'
export { ClientView } from './client/page.js'
export { CertifyView } from './receiver/page.js'
