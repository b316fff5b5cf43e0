/** Hashes, signatures, ids and randomness. */
export { hmacHex, hmacHexOf, seededRandom, systemRandom } from '../base/crypto.js'
export { digits, type RandomBytes, randomOf, randomText } from '../base/random.js'
