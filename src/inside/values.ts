/** Pure values: money in minor units, durations, ids, JSON, text. */
export { base64Of, bytesOf, bytesWithin, joinChunks } from '../base/bytes.js'
export { exactDuration, formatDuration, hourMs, minuteMs, parseDuration, secondMs } from '../base/duration.js'
export { isoOffset, isoUtc, parseDay, parseMoment } from '../base/iso.js'
export {
  JsonError,
  JsonNumber,
  JsonPieces,
  parseJson,
  parseUntrustedJson,
  readJson,
  TooManyKeys,
  toPlainJson,
  UnexpectedJson,
} from '../base/json.js'
export { isKeyOf, keysOf, mapRows, rowAt, tableOf } from '../base/keys.js'
export { maxAmountMinor, parseAmount, readDecimal, shareOf } from '../base/money.js'
export { MultipartError, parseHeaderValue, partsOf } from '../base/multipart.js'
export { camelCase, capitalized, didYouMean, lowerAscii, nearest, toAsciiName } from '../base/text.js'
export { type TimeZone, timeZone } from '../base/time-zone.js'
export { codeOf, type Fields, fieldAt, fieldsIn, fieldsOfJson, isJsonObject, messageOf } from '../base/unknown.js'
