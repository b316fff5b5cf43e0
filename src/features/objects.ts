/** The Durable Objects of the features. */
export { CertificationObject } from './certify/workers-object.js'
