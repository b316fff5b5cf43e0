/** HMAC-SHA256, in its own script, which is loaded when something is signed. */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** In lowercase hex. `crypto.subtle` exists only in secure contexts: https and localhost. */
export const hmacHex = (key: string, text: string): string =>
  bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text)))
