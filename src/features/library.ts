/** The library functions of the features. */
export { type BookEntryRow, type CertifyBooksOptions, certifyBooks } from '../certify/testing/books.js'
export {
  type CertifyReceiverOptions,
  certifyReceiver,
  type LoadTest,
  type TransactionState,
} from '../certify/testing/certify.js'
export { type CertifyClientOptions, type ClientCommand, certifyClient } from '../certify/testing/client.js'
export {
  type AcceptedDifference,
  type CompareOptions,
  type ComparisonResult,
  compareRecording,
} from '../compare/testing/compare.js'
