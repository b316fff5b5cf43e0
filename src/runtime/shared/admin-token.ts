/** Generates admin tokens: letters and digits with more than 200 bits of randomness. */
import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/ids.js'

export const generateAdminToken = (): string => randomText(systemRandom().stream('admin'), 40)
