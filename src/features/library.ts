/** The library functions of the features. */
export { type BookEntryRow, type CertifyBooksOptions, certifyBooks } from './certify/books/library.js'
export type { TransactionState } from './certify/callbacks.js'
export { type CertifyClientOptions, type ClientCommand, certifyClient } from './certify/client/library.js'
export { type CertifyReceiverOptions, certifyReceiver, type LoadTest } from './certify/receiver/library.js'
export {
  type AcceptedDifference,
  type CompareOptions,
  type ComparisonResult,
  compareRecording,
} from './compare/library.js'
