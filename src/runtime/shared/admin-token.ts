/** The tokens that control APIs ask for: more than 200 bits of chance, of letters and digits. */
import { systemRandom } from '../../base/crypto.js'
import { randomText } from '../../base/ids.js'

export const makeToken = (): string => randomText(systemRandom().stream('admin'), 40)
