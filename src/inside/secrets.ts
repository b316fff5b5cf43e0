/** Hashes, signatures, ids and randomness. */
export { hmacHex, hmacHexOf, seededRandom, systemRandom } from '../base/crypto.js'
export { digits, type RandomBytes, randomFrom, randomText } from '../base/random.js'
